import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

/** The part of pdf.js that is used here. Its own types would require those of a browser. */
interface PdfDocument {
  numPages: number;
  getPage(number: number): Promise<{
    getTextContent(): Promise<{ items: { str: string; hasEOL: boolean }[] }>;
    getAnnotations(): Promise<object[]>;
    getViewport(options: { scale: number }): { width: number; height: number };
    render(options: object): { promise: Promise<void> };
  }>;
  getMetadata(): Promise<{ info: Record<string, string> }>;
}

interface Pdfjs {
  getDocument(source: object): { promise: Promise<PdfDocument>; destroy(): Promise<void> };
}

export interface ReadPdf {
  pages: string[];
  info: Record<string, string>;
  annotations: number;
}

export const PDFJS = createRequire(import.meta.url).resolve('pdfjs-dist/legacy/build/pdf.mjs');

export async function withPdf<T>(
  pdf: Buffer,
  read: (document: PdfDocument) => Promise<T>,
): Promise<T> {
  const { getDocument } = (await import(pathToFileURL(PDFJS).href)) as Pdfjs;
  const loading = getDocument({ data: new Uint8Array(pdf), verbosity: 0 });
  const found = await read(await loading.promise);
  await loading.destroy();
  return found;
}

export async function readPdf(pdf: Buffer): Promise<ReadPdf> {
  return withPdf(pdf, async (document) => {
    const pages: string[] = [];
    let annotations = 0;
    for (let number = 1; number <= document.numPages; number++) {
      const page = await document.getPage(number);
      const { items } = await page.getTextContent();
      pages.push(items.map(({ str, hasEOL }) => (hasEOL ? `${str}\n` : str)).join(''));
      annotations += (await page.getAnnotations()).length;
    }
    const { info } = await document.getMetadata();
    return { pages, info, annotations };
  });
}
