import { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { request } from 'undici';
import { UPLOAD_BYTES_MAX } from '#libs/contracts';
import { MINUTE_MS, SECOND_MS, monotonicMs } from '#libs/platform';
import { growthOf, waitFor } from '#test/environment';
import { GatewayUnderTest } from '../gateway/gateway-under-test.js';
import { RawClient } from '../gateway/raw-client.js';
import { TransferOwner, bytesOf } from './transfer-owner.js';

const GIBIBYTE = 1024 ** 3;
/** The memory limit for client, gateway and owner together, because they share this process. */
const GROWTH_MAX = 150 * 1024 ** 2;
const SLOW_BYTES_A_SECOND = 24 * 1024;
/** A time that is longer than the gateway waits for a client that reads nothing. */
const SLOW_MS = 4 * MINUTE_MS;
const FILE = '/v2.0/jobs/019a5f00-0000-7000-8000-000000000011/results';

let owner: TransferOwner;
let under: GatewayUnderTest;

beforeAll(async () => {
  owner = new TransferOwner();
  await owner.start();
  under = await GatewayUnderTest.start({ WORKER_URL: owner.url });
});
afterAll(async () => {
  await under?.stop();
  await owner?.stop();
});

const newKey = () => under.around.account.addKey({ scopes: ['jobs'] });

describe('a gibibyte', () => {
  it(
    'is downloaded byte for byte in bounded memory',
    async () => {
      const { apiKey } = newKey();
      let [sizeBytes, crc] = [0, 0];
      const growth = await growthOf(async () => {
        const { body } = await request(under.url + FILE, { headers: { 'x-api-key': apiKey } });
        for await (const chunk of body as AsyncIterable<Buffer>) {
          sizeBytes += chunk.length;
          crc = crc32(chunk, crc);
        }
      });
      let expected = 0;
      for (const piece of bytesOf(0, GIBIBYTE - 1)) expected = crc32(piece, expected);
      expect([sizeBytes, crc]).toEqual([GIBIBYTE, expected]);
      expect(growth).toBeLessThan(GROWTH_MAX);
    },
    5 * MINUTE_MS,
  );

  it(
    'is uploaded with tus in one piece, up to the limit, in bounded memory',
    async () => {
      const { apiKey } = newKey();
      const headers = { 'x-api-key': apiKey, 'tus-resumable': '1.0.0' };
      const created = await request(`${under.url}/v2.0/uploads`, {
        method: 'POST',
        headers: { ...headers, 'upload-length': String(UPLOAD_BYTES_MAX) },
      });
      await created.body.dump();
      const growth = await growthOf(async () => {
        const { statusCode, body } = await request(under.url + created.headers.location, {
          method: 'PATCH',
          headers: {
            ...headers,
            'upload-offset': '0',
            'content-type': 'application/offset+octet-stream',
          },
          body: Readable.from(bytesOf(0, UPLOAD_BYTES_MAX - 1)),
        });
        await body.dump();
        expect(statusCode).toBe(204);
      });
      const [stored] = [...owner.state.store.uploads.values()];
      expect(stored.sizeBytes).toBe(UPLOAD_BYTES_MAX);
      expect(growth).toBeLessThan(GROWTH_MAX);
    },
    5 * MINUTE_MS,
  );
});

describe('the minimum rate of a download', () => {
  it(
    'S104: a client that reads 24 KiB per second keeps its download, and a client that reads nothing loses it',
    async () => {
      const [slow, still] = [newKey(), newKey()];
      const open = async (apiKey: string) => {
        const client = await RawClient.open(under.url, { reads: false });
        client.send(`GET ${FILE} HTTP/1.1\r\nHost: a\r\nX-API-Key: ${apiKey}\r\n\r\n`);
        return client;
      };
      const [reader, idler] = [await open(slow.apiKey), await open(still.apiKey)];
      const startedMs = monotonicMs();
      let readBytes = 0;
      await waitFor(
        'the slow reader to have read for long enough',
        () => {
          const elapsedMs = monotonicMs() - startedMs;
          const dueBytes = (elapsedMs / SECOND_MS) * SLOW_BYTES_A_SECOND - readBytes;
          const chunk = reader.socket.read(
            Math.min(Math.floor(dueBytes), reader.socket.readableLength) || undefined,
          ) as Buffer | null;
          readBytes += chunk?.length ?? 0;
          return elapsedMs > SLOW_MS;
        },
        SLOW_MS + MINUTE_MS,
      );
      expect(readBytes).toBeGreaterThan(((SLOW_MS / SECOND_MS) * SLOW_BYTES_A_SECOND) / 2);
      const [row] = await under.logRows(still.keyRecord.accountId, 1);
      expect(row).toMatchObject({ status: 200, outcome: 'broken_off' });
      expect(await rowsOf(slow.keyRecord.accountId)).toBe(0);
      reader.socket.destroy();
      idler.socket.destroy();
      await under.logRows(slow.keyRecord.accountId, 1);
    },
    6 * MINUTE_MS,
  );

  async function rowsOf(accountId: string): Promise<number> {
    const auditor = await under.database.auditor('gateway');
    const [{ count }] = await auditor.query<{ count: string }>(
      'select count(*) from request_log where account_id = $1',
      [accountId],
    );
    return Number(count);
  }
});
