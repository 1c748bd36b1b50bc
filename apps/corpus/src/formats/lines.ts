import { isUtf8 } from 'node:buffer';

/** Maximum length of a line; a longer line is faulty. */
const LINE_BYTES_MAX = 256 * 1024;
const NEWLINE = 10;

export interface Lines {
  /** Number of the first line, from 1. */
  first: number;
  /** The text of each line; undefined for a line that is too long or not UTF-8. */
  texts: (string | undefined)[];
}

/**
 * Yields the lines of a stream of UTF-8, without line endings, in groups as they arrive. Memory stays constant for any
 * input: a line longer than `LINE_BYTES_MAX` is dropped while it arrives.
 */
export async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Lines, void, void> {
  let rest: Buffer[] = [];
  let restBytes = 0;
  let first = 1;
  let isTooLong = false;
  for await (const chunk of chunks) {
    let begin = 0;
    const texts: (string | undefined)[] = [];
    if (rest.length > 0 || isTooLong) {
      const end = chunk.indexOf(NEWLINE);
      const piece = end < 0 ? chunk : chunk.subarray(0, end);
      isTooLong ||= restBytes + piece.length > LINE_BYTES_MAX;
      if (isTooLong) [rest, restBytes] = [[], 0];
      else {
        rest.push(piece);
        restBytes += piece.length;
      }
      if (end < 0) continue;
      texts.push(isTooLong ? undefined : textOf(Buffer.concat(rest)));
      [rest, restBytes, isTooLong] = [[], 0, false];
      begin = end + 1;
    }
    const last = chunk.lastIndexOf(NEWLINE);
    if (last >= begin) for (const text of textsOf(chunk.subarray(begin, last))) texts.push(text);
    const open = chunk.subarray(Math.max(begin, last + 1));
    if (open.length > 0) {
      isTooLong = open.length > LINE_BYTES_MAX;
      // The rest is copied, because the chunk's memory may be reused.
      if (!isTooLong) [rest, restBytes] = [[Buffer.from(open)], open.length];
    }
    if (texts.length > 0) yield { first, texts };
    first += texts.length;
  }
  if (isTooLong) yield { first, texts: [undefined] };
  else if (restBytes > 0) yield { first, texts: [textOf(Buffer.concat(rest))] };
}

function textsOf(bytes: Buffer): (string | undefined)[] {
  if (isUtf8(bytes)) {
    const texts: (string | undefined)[] = bytes.toString('utf8').split('\n');
    for (const [place, text] of texts.entries()) {
      if (Buffer.byteLength(text!) > LINE_BYTES_MAX) texts[place] = undefined;
      else if (text!.endsWith('\r')) texts[place] = text!.slice(0, -1);
    }
    return texts;
  }
  const texts: (string | undefined)[] = [];
  for (let begin = 0; begin <= bytes.length;) {
    const found = bytes.indexOf(NEWLINE, begin);
    const end = found < 0 ? bytes.length : found;
    texts.push(textOf(bytes.subarray(begin, end)));
    begin = end + 1;
  }
  return texts;
}

function textOf(bytes: Buffer): string | undefined {
  if (bytes.length > LINE_BYTES_MAX || !isUtf8(bytes)) return undefined;
  const text = bytes.toString('utf8');
  return text.endsWith('\r') ? text.slice(0, -1) : text;
}
