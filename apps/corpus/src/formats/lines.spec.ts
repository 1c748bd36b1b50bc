import { expect, it } from '@jest/globals';
import { linesOf } from './lines.js';

const BYTES_MAX = 256 * 1024;
const E_ACUTE = 'é';
const longest = E_ACUTE.repeat(BYTES_MAX / Buffer.byteLength(E_ACUTE));

it.each([1_000, 1_000_000])(
  'the length of a line is limited in bytes, however the stream is divided: %d bytes at a time',
  async (size) => {
    const bytes = Buffer.from(`a\n${longest}\n${longest}b\nc\n`);
    async function* chunks() {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    }
    const texts: (string | undefined)[] = [];
    for await (const lines of linesOf(chunks())) texts.push(...lines.texts);
    expect(texts).toEqual(['a', longest, undefined, 'c']);
  },
);
