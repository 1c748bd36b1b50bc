import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

const LENGTH_MAX = 512 * 1024;
const LEVEL = 3;
const OPTIONS = { params: { [constants.ZSTD_c_compressionLevel]: LEVEL } };

/** A text as it came, compressed; null for none. */
export function packedText(text: string | undefined): Buffer | null {
  return text ? zstdCompressSync(Buffer.from(text.slice(0, LENGTH_MAX)), OPTIONS) : null;
}

/** @throws for bytes that `packedText` did not make. */
export function unpackedText(bytes: Buffer): string {
  return zstdDecompressSync(bytes, { maxOutputLength: 4 * LENGTH_MAX }).toString('utf8');
}
