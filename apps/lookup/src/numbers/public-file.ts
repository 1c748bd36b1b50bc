import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';

/** A file with a larger share of unreadable lines has a different format. */
const UNREADABLE_MAX = 0.01;

/**
 * Reads the lines of a file of a public format, without comments and blank lines; a name that ends with `.gz` is
 * unpacked.
 *
 * @param take returns whether it could read a line.
 * @throws Error for a file that is missing or has a different format.
 */
export async function readLines(path: string, take: (line: string) => boolean): Promise<void> {
  const file = createReadStream(path);
  const unpacked = path.endsWith('.gz') ? file.pipe(createGunzip()) : file;
  // An error while the file is read must end the whole loop, not only the unpacking.
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
