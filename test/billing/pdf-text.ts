import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

/** What is used of pdfjs, whose types would bring a browser's with them. */
interface Pdfjs {
  getDocument(source: object): { promise: Promise<PdfjsDocument>; destroy(): Promise<void> };
}

interface PdfjsDocument {
  numPages: number;
  getPage(number: number): Promise<{
    getTextContent(): Promise<{ items: { str: string; hasEOL: boolean }[] }>;
    getAnnotations(): Promise<object[]>;
  }>;
  getMetadata(): Promise<{ info: Record<string, string> }>;
}

/** A PDF as another library than the printer's reads it. */
export interface ReadPdf {
  /** The text of each page. */
  pages: string[];
  info: Record<string, string>;
  annotations: number;
}

const PDFJS = createRequire(import.meta.url).resolve('pdfjs-dist/legacy/build/pdf.mjs');

export async function readPdf(pdf: Buffer): Promise<ReadPdf> {
  const { getDocument } = (await import(pathToFileURL(PDFJS).href)) as Pdfjs;
  const loading = getDocument({ data: new Uint8Array(pdf), verbosity: 0 });
  const document = await loading.promise;
  const pages: string[] = [];
  let annotations = 0;
  for (let number = 1; number <= document.numPages; number++) {
    const page = await document.getPage(number);
    const { items } = await page.getTextContent();
    pages.push(items.map(({ str, hasEOL }) => (hasEOL ? `${str}\n` : str)).join(''));
    annotations += (await page.getAnnotations()).length;
  }
  const { info } = await document.getMetadata();
  await loading.destroy();
  return { pages, info, annotations };
}
