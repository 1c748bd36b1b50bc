import { constants, zstdCompressSync } from 'node:zlib';

const LENGTH_MAX = 512 * 1024;
const LEVEL = 3;
const OPTIONS = { params: { [constants.ZSTD_c_compressionLevel]: LEVEL } };

/** Compresses a text, cut to a maximum length; null if there is none. */
export function packedText(text: string | undefined): Buffer | null {
  return text ? zstdCompressSync(Buffer.from(text.slice(0, LENGTH_MAX)), OPTIONS) : null;
}
