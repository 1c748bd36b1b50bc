import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/**
 * The parts of a parsed font that we use. The font's tables are read on demand and cached, but its glyphs belong to one
 * document.
 */
interface Font {
  _glyphs: Record<number, unknown>;
}

interface Fontkit {
  create(file: Buffer): Font;
  registerFormat(format: typeof ParsedFormat): void;
}

const require = createRequire(import.meta.url);
const pdfkit = createRequire(require.resolve('pdfmake')).resolve('pdfkit');
const fontkit = createRequire(pdfkit)('fontkit') as Fontkit;

const parsed = new Map<Uint8Array, Font>();

/** A format whose files contain only the names of fonts that are already parsed. */
class ParsedFormat {
  static probe(file: Uint8Array): boolean {
    return parsed.has(file);
  }

  constructor({ buffer }: { buffer: Uint8Array }) {
    // A glyph keeps the letter for which it was first drawn, and two letters may share a glyph. Each document therefore
    // gets its own glyphs, so that its bytes do not depend on documents drawn earlier.
    return Object.create(parsed.get(buffer)!, { _glyphs: { value: {} } }) as ParsedFormat;
  }
}
fontkit.registerFormat(ParsedFormat);

/**
 * Parses a font file once per process. Otherwise each document would parse the file, which takes most of the time.
 * @returns a buffer that pdfmake accepts in place of the file.
 */
export function parsedFont(path: string): Buffer {
  const file = Buffer.from(path);
  parsed.set(file, fontkit.create(readFileSync(path)));
  return file;
}
