import type { Lines } from '../formats/lines.js';
import type { ReadLine } from '../formats/read-line.js';
import type { BadLine } from './import-file.js';

const SAMPLE_LENGTH_MAX = 80;
export const SAMPLES_OF_BATCH = 20;

export interface Batch<T> {
  /** The position after the last line. */
  to: number;
  items: T[];
  badLines: number;
  samples: BadLine[];
}

/**
 * Processes batches one after another, and reads the next batch in the meantime.
 * @throws the errors of `batches` and of `work`, once `work` has ended.
 */
export async function eachWhileReading<T>(
  batches: AsyncIterable<T>,
  work: (batch: T) => Promise<void>,
): Promise<void> {
  let working = Promise.resolve();
  try {
    for await (const batch of batches) {
      await working;
      working = work(batch);
      // An error is thrown by the next `await working`.
      working.catch(() => {});
    }
  } finally {
    await working;
  }
}

/** Returns the beginning of a line, in a form that PostgreSQL's JSON accepts. */
function sampleOf(line: string): string {
  return line.slice(0, SAMPLE_LENGTH_MAX).replaceAll('\u0000', '\ufffd').toWellFormed();
}

/**
 * Groups the contents of lines into batches of about `size`; a list counts as its items. Lines up to `done` are read and
 * skipped.
 */
export async function* batchesOf<T>(
  lines: AsyncIterable<Lines>,
  { read, size, done }: { read: (line: string) => ReadLine<T>; size: number; done: number },
): AsyncGenerator<Batch<T>, void, void> {
  let batch: Batch<T> = { to: done, items: [], badLines: 0, samples: [] };
  let count = 0;
  for await (const { first, texts } of lines) {
    for (const [place, text] of texts.entries()) {
      const line = first + place;
      const item = text === undefined ? 'bad' : read(text);
      if (line <= done) continue;
      batch.to = line;
      if (item === 'bad') {
        batch.badLines += 1;
        batch.samples.push({ line, text: sampleOf(text ?? '') });
        if (batch.samples.length > SAMPLES_OF_BATCH) batch.samples.pop();
      } else if (item !== 'nothing') {
        batch.items.push(item as T);
        count += Array.isArray(item) ? item.length : 1;
      }
      if (count + batch.badLines >= size) {
        yield batch;
        batch = { to: line, items: [], badLines: 0, samples: [] };
        count = 0;
      }
    }
  }
  if (batch.to > done && (batch.items.length > 0 || batch.badLines > 0)) yield batch;
}
