import { createRequire } from 'node:module';
import { PDFJS, withPdf } from './pdf-text.js';

interface Canvas {
  toBuffer(type: 'image/png'): Buffer;
  getContext(kind: '2d'): {
    drawImage(image: object, x: number, y: number): void;
    getImageData(x: number, y: number, width: number, height: number): { data: Uint8ClampedArray };
  };
}

interface CanvasLibrary {
  createCanvas(width: number, height: number): Canvas;
  loadImage(picture: Buffer): Promise<{ width: number; height: number }>;
}

const { createCanvas, loadImage } = createRequire(PDFJS)('@napi-rs/canvas') as CanvasLibrary;
/** Pixels per point: an A4 page has 893 by 1,263 pixels. */
const SCALE = 1.5;
const BLOCK = 16;

/** Draws a page of a PDF as a PNG, with a library other than the one that created the PDF. */
export async function drawPage(pdf: Buffer, number: number): Promise<Buffer> {
  return withPdf(pdf, async (document) => {
    const page = await document.getPage(number);
    const viewport = page.getViewport({ scale: SCALE });
    const canvas = createCanvas(Math.floor(viewport.width), Math.floor(viewport.height));
    await page.render({ canvas, canvasContext: canvas.getContext('2d'), viewport }).promise;
    return canvas.toBuffer('image/png');
  });
}

/**
 * Returns the greatest difference between two pages: the mean difference in brightness, 0 to 255, of the block of 16 by
 * 16 pixels that differs most. The result is 255 if the pages differ in size.
 */
export async function pageDistance(one: Buffer, other: Buffer): Promise<number> {
  const [a, b] = [await brightness(one), await brightness(other)];
  if (a.width !== b.width || a.height !== b.height) return 255;
  const columns = Math.ceil(a.width / BLOCK);
  const sums = new Float64Array(columns * Math.ceil(a.height / BLOCK));
  for (let y = 0; y < a.height; y++) {
    for (let x = 0; x < a.width; x++) {
      const at = y * a.width + x;
      const block = Math.floor(y / BLOCK) * columns + Math.floor(x / BLOCK);
      sums[block] += Math.abs(a.levels[at] - b.levels[at]);
    }
  }
  return Math.max(...sums) / BLOCK ** 2;
}

/** The maximum difference in brightness, out of 255, that may occur at the edge of a letter. */
const EDGE = 18;

/** Returns the share of pixels that differ by more than the edge of a letter may, or 1 if the pages differ in size. */
export async function changedShare(one: Buffer, other: Buffer): Promise<number> {
  const [a, b] = [await brightness(one), await brightness(other)];
  if (a.width !== b.width || a.height !== b.height) return 1;
  const changed = a.levels.filter((level, at) => Math.abs(level - b.levels[at]) > EDGE);
  return changed.length / a.levels.length;
}

async function brightness(picture: Buffer) {
  const image = await loadImage(picture);
  const { width, height } = image;
  const context = createCanvas(width, height).getContext('2d');
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, width, height);
  const levels = Uint8Array.from({ length: width * height }, (_, at) =>
    Math.round((data[4 * at] + data[4 * at + 1] + data[4 * at + 2]) / 3),
  );
  return { width, height, levels };
}
