import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { UPLOAD_BYTES_MAX, UPLOAD_LINES_MAX, type UploadAnswer } from '#libs/contracts';
import { MINUTE_MS, newId } from '#libs/platform';
import { growthOf, waitFor } from '#test/environment';
import { WorkerUnderTest } from '../../../../test/worker/worker-under-test.js';

const LIMIT_MS = 10 * MINUTE_MS;
jest.setTimeout(LIMIT_MS);

const MIB = 1024 ** 2;
/** The limit of memory growth for the sender, the worker and both ends of each connection, all in this process. */
const GROWTH_MAX = 300 * MIB;
const LINES_A_PIECE = 10_000;
const under = new WorkerUnderTest();

beforeAll(() => under.start());
afterAll(() => under.stop());

function* linesOf(count: number): Generator<Buffer> {
  yield Buffer.from('domain\r\n');
  for (let from = 0; from < count; from += LINES_A_PIECE) {
    const lines = Array.from({ length: Math.min(LINES_A_PIECE, count - from) }, (_, n) => {
      return `name-${from + n}.com\r\n`;
    });
    yield Buffer.from(lines.join(''));
  }
}

function* blankLines(bytes: number): Generator<Buffer> {
  const piece = Buffer.alloc(MIB, '\n');
  for (let at = 0; at < bytes; at += MIB) yield piece;
}

function* formOf(pieces: Iterable<Buffer>): Generator<Buffer> {
  yield Buffer.from(
    '--edge\r\nContent-Disposition: form-data; name="file"; filename="names.csv"\r\n\r\n',
  );
  yield* pieces;
  yield Buffer.from('\r\n--edge--\r\n');
}

async function read(pieces: Iterable<Buffer>): Promise<UploadAnswer> {
  const accountId = newId();
  const headers = { 'content-type': 'multipart/form-data; boundary=edge' };
  const body = Readable.from(formOf(pieces));
  const { status, text } = await under.send('POST', '/internal/uploads', {
    accountId,
    headers,
    body,
  });
  expect([status, text]).toEqual([201, expect.any(String)]);
  const { id } = JSON.parse(text) as UploadAnswer;
  const upload = await under.endOfUpload(accountId, id, LIMIT_MS);
  await waitFor('the file to go', async () => (await under.filesOf(id)).length === 0);
  return upload;
}

async function namesOf({ id }: UploadAnswer): Promise<number> {
  const [{ count }] = await under.database.query<{ count: number }>(
    'select count(*)::int as count from name_lines where list_id = $1',
    [id],
  );
  return count;
}

describe('S71: an upload at the limits', () => {
  it('a file with 3,000,000 names is accepted in bounded memory', async () => {
    const growth = await growthOf(async () => {
      const upload = await read(linesOf(UPLOAD_LINES_MAX));
      expect(upload).toMatchObject({
        state: 'ready',
        counts: { lines: UPLOAD_LINES_MAX, unique: UPLOAD_LINES_MAX, invalid: 0, duplicates: 0 },
      });
    });
    expect(growth).toBeLessThan(GROWTH_MAX);
  });

  it('a file with one more name is rejected, and no part of it is kept', async () => {
    const upload = await read(linesOf(UPLOAD_LINES_MAX + 1));
    expect(upload).toMatchObject({ state: 'refused', refusal: { reason: 'too_many_lines' } });
    expect(await namesOf(upload)).toBe(0);
  });

  it('reading stops, in bounded memory, once a file has unpacked to more than 768 MiB', async () => {
    const packed = Readable.from(blankLines(UPLOAD_BYTES_MAX + MIB)).pipe(createGzip());
    const bomb = Buffer.concat(await packed.toArray());
    expect(bomb.length).toBeLessThan(MIB);
    const growth = await growthOf(async () => {
      const upload = await read([bomb]);
      expect(upload).toMatchObject({ refusal: { reason: 'too_large_unpacked' } });
      expect(await namesOf(upload)).toBe(0);
    });
    expect(growth).toBeLessThan(GROWTH_MAX);
  });
});
