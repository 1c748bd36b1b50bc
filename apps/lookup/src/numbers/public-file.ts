import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';

/** The share of lines that may be unreadable. If more are, the file has a different format. */
const UNREADABLE_MAX = 0.01;

/**
 * Reads the lines of a file in a public format, except comments and blank lines. A file whose name ends in `.gz` is
 * decompressed.
 *
 * @param take returns whether the line could be read.
 * @throws Error for a file that is missing or has a different format.
 */
export async function readLines(path: string, take: (line: string) => boolean): Promise<void> {
  const file = createReadStream(path);
  const unpacked = path.endsWith('.gz') ? file.pipe(createGunzip()) : file;
  // An error while the file is read must end the whole loop, not only the decompression.
  file.on('error', (error) => unpacked.destroy(error));
  let [taken, refused] = [0, 0];
  for await (const line of createInterface({ input: unpacked, crlfDelay: Infinity })) {
    if (line === '' || line.startsWith('#')) continue;
    if (take(line)) taken += 1;
    else refused += 1;
  }
  if (taken === 0 || refused > (taken + refused) * UNREADABLE_MAX) {
    throw new Error(`${path}: ${refused} of ${taken + refused} lines cannot be read`);
  }
}
