import { UPLOAD_BYTES_MAX, UPLOAD_LINES_MAX } from '#libs/contracts';
import { Turns } from '#libs/platform';
import { BAD_LINES_SHOWN, type BadLine, readName, storedLine } from './read-name.js';
import { UnreadableFile } from './unreadable-file.js';

/** Maximum length of an unfinished line that is kept for the next chunk. A longer line contains more than a name. */
const LINE_LENGTH_MAX = 64 * 1024;
/** Maximum length of a name as given (S71). */
const ENTRY_LENGTH_MAX = 255;
const DELIMITERS = [',', ';', '\t'] as const;
/** The names are searched for in this many columns, from the first. */
const COLUMNS_MAX = 100;
/** The titles of a column of names. A column called `name` may contain people if another one is called `domain`. */
const HEADERS = [/^(domain([_ -]?names?)?|domains)$/i, /^(names?|hosts?|hostname|url|website)$/i];
const ROWS_LENGTH = 64 * 1024;
/** The work done per turn of the event loop. A line counts as one unit, plus one unit per `UNIT_LENGTH` characters. */
const UNITS_OF_TURN = 250;
const UNIT_LENGTH = 512;
/**
 * The bytes of a typical line. A file with longer lines counts as having more lines, so that no file takes longer to
 * read than one with the maximum number of names.
 */
const BYTES_OF_LINE = UPLOAD_BYTES_MAX / UPLOAD_LINES_MAX;

/** Reads and counts the names in a text or CSV file, one per line. */
export class NameFile {
  /**
   * The maximum number of lines; a spec sets a lower one. Up to twice as many are read if some are blank: blank lines
   * compress to nothing, but take as long to read as others.
   */
  linesMax = UPLOAD_LINES_MAX;
  /** The number of non-blank lines after the header. */
  lines = 0;
  invalid = 0;
  readonly invalidLines: BadLine[] = [];
  private number = 0;
  private bytes = 0;
  private delimiter: string | undefined;
  private column: number | undefined;

  /**
   * Yields rows of `name_lines` in COPY format, one for each non-blank line after the header.
   * @throws UnreadableFile if there are too many lines, or if no line contains a name; the errors of `text`.
   */
  async *rows(listId: string, text: AsyncIterable<Buffer>): AsyncGenerator<string> {
    let rows = '';
    // A chunk may have thousands of lines, and a line thousands of characters in quotation marks.
    const turns = new Turns(UNITS_OF_TURN);
    for await (const lines of linesOf(this.counted(text))) {
      for (const line of lines) {
        rows += this.rowOf(listId, line);
        const over = turns.spend(1 + line.length / UNIT_LENGTH);
        if (over) await over;
      }
      if (rows.length < ROWS_LENGTH) continue;
      yield rows;
      rows = '';
    }
    if (this.lines === this.invalid) throw new UnreadableFile('no_names');
    yield rows;
  }

  /** The number of lines read so far, or the number of typical lines in the bytes read so far if that is larger. */
  get linesRead(): number {
    return Math.max(this.number, Math.ceil(this.bytes / BYTES_OF_LINE));
  }

  private async *counted(text: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, void> {
    for await (const chunk of text) {
      this.bytes += chunk.length;
      yield chunk;
    }
  }

  private rowOf(listId: string, line: string): string {
    this.number += 1;
    if (this.number > 2 * this.linesMax) throw new UnreadableFile('too_many_lines');
    if (line.trim() === '') return '';
    if (this.column === undefined && this.begin(line)) return '';
    this.lines += 1;
    if (this.lines > this.linesMax) throw new UnreadableFile('too_many_lines');
    const entry = (this.cells(line)[this.column!] ?? '').trim();
    const read =
      entry.length > ENTRY_LENGTH_MAX
        ? { line: this.number, message: `The text is longer than ${ENTRY_LENGTH_MAX} characters.` }
        : readName(entry, this.number);
    if ('name' in read) {
      return `${listId}\t${this.number}\t${read.name}\t${read.upstream}\t\\N\n`;
    }
    this.invalid += 1;
    if (this.invalidLines.length < BAD_LINES_SHOWN) this.invalidLines.push(read);
    const { name, fault } = storedLine(read, entry);
    return `${listId}\t${this.number}\t${copied(name)}\t\t${copied(fault!)}\n`;
  }

  /**
   * Determines from the first line with text which column contains the names. The cells are separated by the first
   * delimiter with which this line has such a column, because other cells may contain commas. @returns whether that
   * line is a header.
   */
  private begin(line: string): boolean {
    const [first, ...others] = DELIMITERS.filter((one) => line.includes(one));
    for (const delimiter of [first, ...others]) {
      this.delimiter = delimiter;
      const cells = this.cells(line)
        .slice(0, COLUMNS_MAX)
        .map((cell) => cell.trim().slice(0, ENTRY_LENGTH_MAX + 1));
      const titled = HEADERS.map((header) => cells.findIndex((cell) => header.test(cell))).find(
        (place) => place >= 0,
      );
      const named = cells.findIndex((cell) => 'name' in readName(cell, 1));
      this.column = titled ?? named;
      if (this.column >= 0) return titled !== undefined;
    }
    this.delimiter = first;
    this.column = 0;
    return false;
  }

  /** Returns the cells of a line (RFC 4180). A record cannot continue on the next line. */
  private cells(line: string): string[] {
    const { delimiter } = this;
    if (!line.includes('"')) return delimiter === undefined ? [line] : line.split(delimiter);
    const cells: string[] = [];
    let [cell, isQuoted] = ['', false];
    for (let at = 0; at < line.length; at++) {
      const char = line[at];
      if (char === '"' && isQuoted && line[at + 1] === '"') cell += line[++at];
      else if (char === '"') isQuoted = !isQuoted;
      else if (char === delimiter && !isQuoted) {
        cells.push(cell);
        cell = '';
      } else cell += char;
    }
    return [...cells, cell];
  }
}

/** Returns text in COPY format. */
const copied = (text: string) => text.replaceAll(/[\\\t\r\n]/g, (char) => COPIED[char]);
const COPIED: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\t': '\\t',
  '\r': '\\r',
  '\n': '\\n',
};

/**
 * Yields the lines of each chunk of UTF-8 text, without their endings. Of a line that spans chunks and exceeds
 * `LINE_LENGTH_MAX`, a part in the middle is dropped.
 */
async function* linesOf(text: AsyncIterable<Buffer>): AsyncGenerator<string[]> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of text) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split(/\r?\n/);
    rest = lines.pop()!;
    yield lines;
    if (rest.length > LINE_LENGTH_MAX) rest = rest.slice(0, LINE_LENGTH_MAX);
  }
  yield [rest + decoder.decode()];
}
