import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { InvoiceDocument } from './invoice-document.js';
import { type Layout, layoutOf } from './invoice-layout.js';
import { parsedFont } from './parsed-fonts.js';

/** The parts of pdfmake that we use. Its own types depend on browser types. */
interface Pdfmake {
  readonly virtualfs: { writeFileSync(path: string, content: Buffer): void };
  setFonts(fonts: Record<string, { normal: string; bold: string }>): void;
  setUrlAccessPolicy(isAllowed: (url: string) => boolean): void;
  setLocalAccessPolicy(isAllowed: (path: string) => boolean): void;
  createPdf(layout: Layout): { getBuffer(): Promise<Buffer> };
}

const require = createRequire(import.meta.url);
const pdfmake = require('pdfmake') as Pdfmake;
/** Roboto (Apache 2.0) with Latin, Greek and Cyrillic letters, as shipped with pdfmake. */
const FONTS = join(dirname(require.resolve('pdfmake/package.json')), 'fonts/Roboto');
const ROBOTO = { normal: 'Roboto-Regular.ttf', bold: 'Roboto-Medium.ttf' };
pdfmake.setFonts({ Roboto: ROBOTO });
for (const file of Object.values(ROBOTO)) {
  pdfmake.virtualfs.writeFileSync(file, parsedFont(join(FONTS, file)));
}
// Nothing is fetched and no file is read, whatever a document refers to (S80).
pdfmake.setUrlAccessPolicy(() => false);
pdfmake.setLocalAccessPolicy(() => false);

/** Returns the document as a PDF. Equal documents give equal bytes. */
export async function renderPdf(document: InvoiceDocument): Promise<Buffer> {
  return pdfmake.createPdf(layoutOf(document)).getBuffer();
}
