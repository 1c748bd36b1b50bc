import type { Readable } from 'node:stream';
import { LINE_MARKS } from '#libs/contracts';

const LINE_MAX_BYTES = 4 * 1024 * 1024;

/** One or more complete lines of a streamed answer, without their `LINE_MARKS`. */
export interface Lines {
  /** Lines with their line endings, one character per byte. */
  text: string;
  charged: number;
  /** The closing line of the answer, without its line ending. */
  last?: string;
}

/**
 * Reads the lines that an owner streams (`streamedLine`), yielding as many at a time as have arrived. An incomplete
 * line at the end is ignored.
 * @throws Error for a line without a mark, or if more than 4 MiB arrive without a line ending; also if the stream
 * fails.
 */
export async function* readLines(stream: Readable): AsyncGenerator<Lines> {
  let rest = '';
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    const lines = (rest + chunk.toString('latin1')).split('\n');
    rest = lines.pop()!;
    if (rest.length > LINE_MAX_BYTES) throw new Error('a line without an end');
    let text = '';
    let charged = 0;
    for (const line of lines) {
      if (line.startsWith(LINE_MARKS.last)) {
        yield { text, charged, last: line.slice(1) };
        return;
      }
      if (line.startsWith(LINE_MARKS.charged)) charged++;
      else if (!line.startsWith(LINE_MARKS.free)) throw new Error('a line without a mark');
      text += `${line.slice(1)}\n`;
    }
    yield { text, charged };
  }
}
