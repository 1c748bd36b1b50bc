import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';

/** A file with more lines than this share that cannot be read is another file. */
const UNREADABLE_MAX = 0.01;

/**
 * Reads the lines of a file of a public format, comments and blank lines aside; a name that ends with `.gz` is
 * unpacked.
 *
 * @param take whether it could read a line.
 * @throws Error for a file that is not there or of another format.
 */
export async function readLines(path: string, take: (line: string) => boolean): Promise<void> {
  const file = createReadStream(path);
  const unpacked = path.endsWith('.gz') ? file.pipe(createGunzip()) : file;
  // A fault of the file ends its reading, not only that of what is unpacked.
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
