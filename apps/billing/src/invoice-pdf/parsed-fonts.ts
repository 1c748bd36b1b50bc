import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** The parts of a parsed font that we use: its tables are read on demand and kept, its glyphs belong to a document. */
interface Font {
  _glyphs: Record<number, unknown>;
}

/** The parts that we use of fontkit, the parser beneath pdfmake. */
interface Fontkit {
  create(file: Buffer): Font;
  /** Asked for each font that fontkit does not know itself. */
  registerFormat(format: typeof ParsedFormat): void;
}

const require = createRequire(import.meta.url);
const pdfkit = createRequire(require.resolve('pdfmake')).resolve('pdfkit');
/** The one that pdfmake draws with. */
const fontkit = createRequire(pdfkit)('fontkit') as Fontkit;

const parsed = new Map<Uint8Array, Font>();

/** A format whose files are only names of fonts that are parsed already. */
class ParsedFormat {
  static probe(file: Uint8Array): boolean {
    return parsed.has(file);
  }

  constructor({ buffer }: { buffer: Uint8Array }) {
    // A glyph remembers the letter that it was first drawn for, and two letters may share one: with glyphs
    // of its own, the bytes of a document do not depend on those drawn before it.
    return Object.create(parsed.get(buffer)!, { _glyphs: { value: {} } }) as ParsedFormat;
  }
}
fontkit.registerFormat(ParsedFormat);

/**
 * Parses a font file once in this process; otherwise it would be parsed for each document, which takes most of the time.
 * @returns what pdfmake takes for the file.
 */
export function parsedFont(path: string): Buffer {
  const file = Buffer.from(path);
  parsed.set(file, fontkit.create(readFileSync(path)));
  return file;
}
