import { once } from 'node:events';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Upload as TusUpload } from 'tus-js-client';
import { request } from 'undici';
import { UPLOAD_BYTES_MAX } from '#libs/contracts';
import { Problem } from '#libs/platform';
import { waitFor } from '#test/environment';
import { GatewayUnderTest, expectProblem } from '../gateway/gateway-under-test.js';
import { RawClient } from '../gateway/raw-client.js';
import { TransferOwner, bytesOf } from './transfer-owner.js';

const MEBIBYTE = 1024 ** 2;
/**
 * A size that is larger than any buffer on the way. `large-transfers.proof.spec.ts` measures the memory for a gibibyte.
 */
const LARGE = 64 * MEBIBYTE;

let owner: TransferOwner;
let under: GatewayUnderTest;
let apiKey: string;
let accountId: string;

beforeAll(async () => {
  owner = new TransferOwner();
  await owner.start();
  under = await GatewayUnderTest.start({
    WORKER_URL: owner.url,
    GATEWAY_TRUSTED_PROXIES: '127.0.0.1',
  });
});
afterAll(async () => {
  await under?.stop();
  await owner?.stop();
});
beforeEach(() => {
  owner.state.forget();
  const added = under.around.account.addKey({ scopes: ['jobs'] });
  apiKey = added.apiKey;
  accountId = added.keyRecord.accountId;
});

const FILE = '/v2.0/jobs/019a5f00-0000-7000-8000-000000000011/results';
const TUS = { 'tus-resumable': '1.0.0' };

/**
 * Reads an answer without storing it.
 * @returns its size and checksum.
 */
async function drain(body: AsyncIterable<Buffer>) {
  const read = { sizeBytes: 0, crc32: 0 };
  for await (const chunk of body) {
    read.sizeBytes += chunk.length;
    read.crc32 = crc32(chunk, read.crc32);
  }
  return read;
}

function crcOf(start: number, end: number): number {
  let crc = 0;
  for (const piece of bytesOf(start, end)) crc = crc32(piece, crc);
  return crc;
}

/** Starts a gateway that ends a transfer after half a second of silence. @returns its URL. */
async function startImpatient(name: string): Promise<string> {
  const { apiUrl } = await under.around.startGateway({
    WORKER_URL: owner.url,
    GATEWAY_TRANSFER_IDLE_MS: '500',
    GATEWAY_JOURNAL: join(under.around.folder, `${name}.journal`),
  });
  return apiUrl;
}

const withKey = (headers: Record<string, string> = {}) => ({ 'x-api-key': apiKey, ...headers });

async function post(headers: Record<string, string>, body?: Readable | Buffer | string) {
  const answer = await request(`${under.url}/v2.0/uploads`, {
    method: 'POST',
    headers: withKey(headers),
    body: body ?? null,
  });
  const text = await answer.body.text();
  const json = text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {};
  return { status: answer.statusCode, headers: answer.headers, text, json };
}

function* form(sizeBytes: number): Generator<Buffer> {
  yield Buffer.from(
    '--frontier\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n' +
      'Content-Type: text/csv\r\n\r\n',
  );
  yield* bytesOf(0, sizeBytes - 1);
  yield Buffer.from('\r\n--frontier--\r\n');
}
const FORM_TYPE = { 'content-type': 'multipart/form-data; boundary=frontier' };

describe('a download', () => {
  it('arrives complete, with the headers that a client needs to resume it', async () => {
    owner.state.fileBytes = LARGE;
    const answer = await request(under.url + FILE, { headers: withKey() });
    expect(answer.statusCode).toBe(200);
    expect(answer.headers).toMatchObject({
      'content-length': String(LARGE),
      'content-type': 'application/gzip',
      'content-disposition': `attachment; filename="large.csv.gz"; filename*=UTF-8''large.csv.gz`,
      'accept-ranges': 'bytes',
      etag: '"v1"',
      'last-modified': 'Fri, 20 Nov 2026 04:00:00 GMT',
      'x-content-type-options': 'nosniff',
      'x-credits-cost': '0',
      'cache-control': 'private, no-store',
    });
    const read = await drain(answer.body);
    expect([read.sizeBytes, read.crc32]).toEqual([LARGE, crcOf(0, LARGE - 1)]);
    const [row] = await under.logRows(accountId, 1);
    expect(row).toMatchObject({ status: 200, outcome: 'delivered', credits: 0 });
  });

  it('206: a range returns the requested bytes; If-Range returns the whole file if its content has changed', async () => {
    owner.state.fileBytes = 200_000;
    const part = await request(under.url + FILE, { headers: withKey({ range: 'bytes=70000-' }) });
    expect([part.statusCode, part.headers['content-range']]).toEqual([
      206,
      'bytes 70000-199999/200000',
    ]);
    expect((await drain(part.body)).crc32).toBe(crcOf(70_000, 199_999));
    const last = await request(under.url + FILE, { headers: withKey({ range: 'bytes=-5' }) });
    expect(last.headers['content-length']).toBe('5');
    await last.body.dump();
    const same = { range: 'bytes=0-9', 'if-range': '"v1"' };
    const others = { range: 'bytes=0-9', 'if-range': '"v0"' };
    expect((await under.ask(FILE, withKey(same))).status).toBe(206);
    expect((await under.ask(FILE, withKey(others))).status).toBe(200);
  });

  it('304: an unchanged file is not sent again; 416: a range that does not exist is rejected', async () => {
    owner.state.fileBytes = 1_000;
    const unchanged = await under.ask(FILE, withKey({ 'if-none-match': 'W/"v0", "v1"' }));
    expect([unchanged.status, unchanged.text, unchanged.headers.etag]).toEqual([304, '', '"v1"']);
    const time = { 'if-modified-since': 'Fri, 20 Nov 2026 04:00:00 GMT' };
    expect((await under.ask(FILE, withKey(time))).status).toBe(304);
    const beyond = await under.ask(FILE, withKey({ range: 'bytes=1000-' }));
    expectProblem(beyond, 416, 'range_not_satisfiable');
    expect(beyond.headers['content-range']).toBe('bytes */1000');
    expect(owner.state.readBytes).toBe(0);
  });

  it('S78: HEAD returns the headers of the file after the same checks, but no bytes of the file', async () => {
    const head = await under.ask(FILE, withKey({ range: 'bytes=0-9' }), 'HEAD');
    expect([head.status, head.text]).toEqual([200, '']);
    expect(head.headers).toMatchObject({ 'content-length': String(1024 ** 3), etag: '"v1"' });
    expect(owner.state.readBytes).toBe(0);
    expect((await under.ask(FILE, {}, 'HEAD')).status).toBe(401);
    const { apiKey: other } = under.around.account.addKey({ scopes: ['dns'] });
    expect((await under.ask(FILE, { 'x-api-key': other }, 'HEAD')).status).toBe(403);
    const refused = await under.ask(FILE, { 'x-api-key': other, range: 'bytes=0-9' });
    expectProblem(refused, 403, 'scope_denied');
  });

  it('S78, S99: HEAD of a file that its owner refuses is refused like GET, and counts towards the limit', async () => {
    owner.state.serve = () => {
      throw new Problem({ code: 'job_expired', status: 410, detail: 'Gone.' });
    };
    const head = await under.ask(FILE, withKey(), 'HEAD');
    const got = await under.ask(FILE, withKey());
    expect([head.status, got.status]).toEqual([410, 410]);
    const left = [head, got].map(({ headers }) =>
      Number(headers['x-ratelimit-remaining-requests']),
    );
    expect(left[0] - left[1]).toBe(1);
    const again = await under.ask(FILE, withKey(), 'HEAD');
    expect(again.headers['x-ratelimit-remaining-requests']).toBe(String(left[1] - 1));
    const rows = await under.logRows(accountId, 3);
    expect(new Set(rows.map(({ outcome }) => outcome))).toEqual(new Set(['job_expired']));
  });

  it('S79: a file is always saved and never displayed, no matter which headers its owner sends', async () => {
    owner.state.serve = (reply) =>
      void reply
        .header('content-type', 'text/html')
        .header('content-disposition', 'inline; filename="a.html"')
        .header('set-cookie', 'a=b')
        .send('<script>');
    const { status, headers } = await under.ask(FILE, withKey());
    expect([status, headers['content-type'], headers['content-disposition']]).toEqual([
      200,
      'application/octet-stream',
      'attachment',
    ]);
    expect(headers).not.toHaveProperty('set-cookie');
  });

  it('302: redirects to the https URL that its owner names, and to no other URL', async () => {
    owner.state.redirectTo = 'https://files.example/x?token=1';
    const answer = await under.ask(FILE, withKey());
    expect([answer.status, answer.headers.location]).toEqual([302, owner.state.redirectTo]);
    for (const address of ['javascript:alert(1)', 'http://files.example/x', '//files.example/x']) {
      owner.state.redirectTo = address;
      expectProblem(await under.ask(FILE, withKey()), 503, 'service_unavailable');
    }
  });

  it('403: is refused to a test key', async () => {
    const { apiKey: test } = under.around.account.addKey({
      environment: 'test',
      rank: 0,
      scopes: ['jobs'],
    });
    const refused = await under.ask(FILE, { 'x-api-key': test });
    expectProblem(refused, 403, 'test_key_not_allowed');
  });

  it('forwards its owner’s problems, but answers 503 if the owner refuses the gateway as a caller', async () => {
    owner.state.serve = (reply) => {
      const problem = new Problem({ code: 'not_found', status: 404, detail: 'No such date.' });
      void reply.status(404).send(problem.toBody());
    };
    const refused = await under.ask(FILE, withKey());
    expectProblem(refused, 404, 'not_found');
    expect(refused.json.detail).toBe('No such date.');
    owner.state.serve = (reply) => void reply.status(403).send({ code: 'caller_not_allowed' });
    expectProblem(await under.ask(FILE, withKey()), 503, 'service_unavailable');
  });

  it('429: is refused while its account has four other transfers in progress; other accounts are served', async () => {
    const four = await Promise.all(
      Array.from({ length: 4 }, () => request(under.url + FILE, { headers: withKey() })),
    );
    const refused = await under.ask(FILE, withKey());
    expectProblem(refused, 429, 'too_many_downloads');
    const { apiKey: other } = under.around.account.addKey({ scopes: ['jobs'] });
    const others = await under.ask(FILE, { 'x-api-key': other, range: 'bytes=0-9' });
    expect(others.status).toBe(206);
    for (const { body } of four) body.destroy();
    await waitFor('a place', async () => {
      const { status } = await under.ask(FILE, withKey({ range: 'bytes=0-9' }));
      return status === 206;
    });
    await waitFor('the request to end at its owner', () => owner.state.brokenOff === 4);
  });

  it('S102: the networks of an IPv6 /48 share at most four slots, and visitors cannot use those reserved for customers', async () => {
    const visit = (address: string) =>
      request(`${under.url}/v2.0/files/sample`, { headers: { 'x-forwarded-for': address } });
    const statusesOf = (answers: { statusCode: number }[]) =>
      answers.map(({ statusCode }) => statusCode).toSorted();
    const ofSite = await Promise.all([1, 2, 3, 4, 5].map((n) => visit(`2001:db8:1:${n}::1`)));
    expect(statusesOf(ofSite)).toEqual([200, 200, 200, 200, 429]);
    const others: Awaited<ReturnType<typeof visit>>[] = [];
    // If all of them started at once, a busy machine would not open 100 connections to the owner in time.
    for (let n = 1; n <= 100; n++) others.push(await visit(`192.0.2.${n}`));
    // Three slots of the /48 are given to visitors who have none.
    expect(statusesOf(others).indexOf(503)).toBe(99);
    expect((await under.ask(FILE, withKey({ range: 'bytes=0-9' }))).status).toBe(206);
    for (const { body } of [...ofSite, ...others]) body.on('error', () => {}).destroy();
    await waitFor('the visitors to end', () => owner.state.brokenOff === 103);
  });

  it('runs at the speed of its client, and its owner sends no faster than that', async () => {
    const client = await RawClient.open(under.url, { reads: false });
    client.send(`GET ${FILE} HTTP/1.1\r\nHost: a\r\nX-API-Key: ${apiKey}\r\n\r\n`);
    let before = -1;
    await waitFor('the owner to pause', async () => {
      const isStill = owner.state.readBytes > 0 && owner.state.readBytes === before;
      before = owner.state.readBytes;
      await new Promise((resolve) => setImmediate(resolve));
      return isStill;
    });
    expect(owner.state.readBytes).toBeLessThan(64 * MEBIBYTE);
    client.socket.destroy();
    await waitFor('the request to end at its owner', () => owner.state.brokenOff === 1);
    const [row] = await under.logRows(accountId, 1);
    expect(row).toMatchObject({ status: 499, outcome: 'client_gone' });
  });

  it('does not delay the shutdown of the gateway or its owner', async () => {
    const further = new TransferOwner();
    await further.start();
    // A time limit that is longer than the test.
    const start = (journal: string) =>
      under.around.startGateway({
        WORKER_URL: further.url,
        GATEWAY_DRAIN_MS: '600000',
        GATEWAY_JOURNAL: join(under.around.folder, journal),
      });
    const gateway = await start('second.journal');
    const ask = () => request(gateway.apiUrl + FILE, { headers: withKey() });
    const first = await ask();
    await further.stop();
    await expect(drain(first.body)).rejects.toThrow();
    await further.start();
    const next = await start('third.journal');
    const { body } = await request(next.apiUrl + FILE, { headers: withKey() });
    await under.around.stopGateway(next);
    await expect(drain(body)).rejects.toThrow();
    await under.around.stopGateway(gateway);
    await further.stop();
  });

  it('breaks off visibly if its owner stops sending', async () => {
    owner.state.serve = (reply) => {
      void reply.hijack();
      reply.raw.writeHead(200, { 'content-length': 1_000, 'content-type': 'application/gzip' });
      reply.raw.write('half');
    };
    const url = (await startImpatient('silent-owner')) + FILE;
    const silent = await request(url, { headers: withKey() });
    await expect(silent.body.text()).rejects.toThrow();
    const [row] = await under.logRows(accountId, 1);
    expect(row).toMatchObject({ status: 200, outcome: 'broken_off' });
  });
});

describe('an upload with a form', () => {
  it('reaches its owner byte for byte', async () => {
    const answer = await post(FORM_TYPE, Readable.from(form(LARGE)));
    expect([answer.status, answer.json]).toEqual([
      201,
      { size_bytes: LARGE, crc32: crcOf(0, LARGE - 1) },
    ]);
    expect(owner.state.accounts).toEqual([accountId]);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'x-credits-cost': '0',
    });
  });

  it('413, 415: a body that is too large or has the wrong type is rejected before it is read', async () => {
    const announced = { ...FORM_TYPE, 'content-length': String(UPLOAD_BYTES_MAX + 1) };
    const client = await RawClient.open(under.url);
    const lines = Object.entries(withKey(announced)).map(
      ([name, value]) => `${name}: ${value}\r\n`,
    );
    client.send(`POST /v2.0/uploads HTTP/1.1\r\nHost: a\r\n${lines.join('')}\r\n`);
    await waitFor('the refusal', () => client.text.includes('"payload_too_large"'));
    expect(client.statuses).toEqual([413]);
    client.socket.destroy();
    const json = await post({ 'content-type': 'application/json' }, '{}');
    expectProblem(json, 415, 'unsupported_media_type');
    const packed = await post({ ...FORM_TYPE, 'content-encoding': 'gzip' }, 'x');
    expectProblem(packed, 415, 'unsupported_media_type');
    expect(owner.state.accounts).toEqual([]);
  });

  it('an early refusal by its owner reaches a client that is still sending, and ends the connection', async () => {
    owner.state.refusal = new Problem({
      code: 'uploads_full',
      status: 409,
      detail: 'One is enough.',
    });
    const client = await RawClient.open(under.url);
    client.send(
      `POST /v2.0/uploads HTTP/1.1\r\nHost: a\r\nX-API-Key: ${apiKey}\r\n` +
        'Content-Type: multipart/form-data; boundary=frontier\r\nContent-Length: 700000000\r\n\r\n',
    );
    let sentBytes = 0;
    for (const piece of bytesOf(0, 700_000_000)) {
      if (client.isEnded) break;
      sentBytes += piece.length;
      // The client sends at most 64 MB per second, so only a small part is sent while the connection lingers.
      if (client.socket.write(piece)) await sleep(1);
      else await Promise.race([once(client.socket, 'drain'), once(client.socket, 'close')]);
    }
    expect(client.statuses).toEqual([409]);
    expect(client.text).toContain('One is enough.');
    expect(client.text).toMatch(/connection: close/i);
    expect(sentBytes).toBeLessThan(700_000_000);
  });

  it('Expect: 100-continue is answered as soon as the sender may upload, and not before', async () => {
    const head = (key: string) =>
      `POST /v2.0/uploads HTTP/1.1\r\nHost: a\r\nX-API-Key: ${key}\r\nExpect: 100-continue\r\n` +
      'Content-Type: multipart/form-data; boundary=frontier\r\n';
    const body = Buffer.concat([...form(3)]);
    const client = await RawClient.open(under.url);
    client.send(`${head(apiKey)}Content-Length: ${body.length}\r\n\r\n`);
    await waitFor('the invitation', () => client.text.includes('100 Continue'));
    client.socket.write(body);
    await waitFor('the answer', () => client.text.includes('"size_bytes":3'));
    expect(client.statuses).toEqual([100, 201]);
    client.socket.destroy();
    const stranger = await RawClient.open(under.url);
    stranger.send(`${head(under.strangersKey())}Content-Length: ${body.length}\r\n\r\n`);
    await waitFor('the refusal', () => stranger.text.includes('invalid_api_key'));
    expect(stranger.statuses).toEqual([401]);
    stranger.socket.destroy();
  });

  it('is aborted at its owner if the client disconnects midway', async () => {
    const client = await RawClient.open(under.url);
    client.send(
      `POST /v2.0/uploads HTTP/1.1\r\nHost: a\r\nX-API-Key: ${apiKey}\r\n` +
        'Content-Type: multipart/form-data; boundary=frontier\r\nContent-Length: 1000\r\n\r\n--frontier',
    );
    await waitFor('the owner to be called', () => owner.state.accounts.length === 1);
    client.socket.destroy();
    await waitFor('the request to end at its owner', () => owner.state.brokenOff === 1);
    const [row] = await under.logRows(accountId, 1);
    expect(row).toMatchObject({ status: 499, outcome: 'client_gone' });
  });

  it('S104: 408: a client that stops sending gets an answer and is disconnected', async () => {
    const client = await RawClient.open(await startImpatient('silent-client'));
    client.send(
      `POST /v2.0/uploads HTTP/1.1\r\nHost: a\r\nX-API-Key: ${apiKey}\r\n` +
        'Content-Type: multipart/form-data; boundary=frontier\r\nContent-Length: 1000\r\n\r\n--frontier',
    );
    await waitFor('the refusal', () => client.text.includes('"request_timeout"'));
    await waitFor('the end', () => client.isEnded);
    expect(client.statuses).toEqual([408]);
  });

  it('403: is refused to a test key', async () => {
    const { apiKey: test } = under.around.account.addKey({
      environment: 'test',
      rank: 0,
      scopes: ['jobs'],
    });
    const refused = await post({ 'x-api-key': test, ...FORM_TYPE }, Readable.from(form(3)));
    expectProblem(refused, 403, 'test_key_not_allowed');
    expect(owner.state.accounts).toEqual([]);
  });
});

describe('an upload with tus', () => {
  const ofLast = () => [...owner.state.store.uploads.entries()].at(-1)!;

  it('a tus client uploads in pieces to the given URL', async () => {
    const sizeBytes = 8 * MEBIBYTE;
    let url: string | null = null;
    await new Promise<void>((resolve, reject) => {
      const upload = new TusUpload(Buffer.concat([...bytesOf(0, sizeBytes - 1)]) as never, {
        endpoint: `${under.url}/v2.0/uploads`,
        headers: { 'x-api-key': apiKey },
        chunkSize: 3 * MEBIBYTE,
        metadata: { filename: 'namen.csv' },
        retryDelays: null,
        onError: reject,
        onSuccess: () => {
          url = upload.url;
          resolve();
        },
      });
      upload.start();
    });
    const [id, stored] = ofLast();
    expect(url).toBe(`${under.url}/v2.0/uploads/${id}`);
    expect(stored).toMatchObject({ sizeBytes, crc32: crcOf(0, sizeBytes - 1) });
    expect(stored.upload.metadata).toEqual({ filename: 'namen.csv' });
  });

  it('each operation of tus is forwarded: create, offset, append, delete', async () => {
    const created = await post({ ...TUS, 'upload-length': '10' });
    expect([created.status, created.text]).toEqual([201, '']);
    const path = String(created.headers.location);
    expect(path).toMatch(/^\/v2\.0\/uploads\/[0-9a-f-]{36}$/);
    const append = (offset: string, body: string) =>
      request(under.url + path, {
        method: 'PATCH',
        headers: withKey({
          ...TUS,
          'upload-offset': offset,
          'content-type': 'application/offset+octet-stream',
        }),
        body,
      });
    const appended = await append('0', 'abcde');
    expect([appended.statusCode, appended.headers['upload-offset']]).toEqual([204, '5']);
    const head = await under.ask(path, withKey(TUS), 'HEAD');
    expect([head.status, head.headers]).toMatchObject([
      200,
      { 'upload-offset': '5', 'upload-length': '10', 'tus-resumable': '1.0.0' },
    ]);
    const wrong = await append('3', 'x');
    const problem = (await wrong.body.json()) as Record<string, unknown>;
    expect([wrong.statusCode, problem.code]).toEqual([409, 'upload_offset_mismatch']);
    expect((await under.ask(path, withKey(TUS), 'DELETE')).status).toBe(204);
    expect((await under.ask(path, withKey(TUS), 'HEAD')).status).toBe(404);
  });

  it('412: a request without a tus version is rejected', async () => {
    const path = '/v2.0/uploads/019a5f00-0000-7000-8000-000000000001';
    const refused = await under.ask(path, withKey(), 'DELETE');
    expectProblem(refused, 412, 'tus_version_not_supported');
  });

  it('OPTIONS describes the supported tus extensions', async () => {
    const { status, headers } = await under.ask('/v2.0/uploads', {}, 'OPTIONS');
    expect([status, headers]).toMatchObject([
      204,
      {
        'tus-resumable': '1.0.0',
        'tus-version': '1.0.0',
        'tus-extension': 'creation,creation-with-upload,termination,expiration',
        'tus-max-size': String(UPLOAD_BYTES_MAX),
        'access-control-allow-methods': 'POST, GET, HEAD, OPTIONS',
      },
    ]);
    const below = await under.ask('/v2.0/uploads/x', {}, 'OPTIONS');
    expect(below.headers['access-control-allow-methods']).toBe('HEAD, GET, PATCH, DELETE, OPTIONS');
  });

  it('413: a file that exceeds the total limit is rejected before its first byte', async () => {
    const refused = await post({ ...TUS, 'upload-length': String(UPLOAD_BYTES_MAX + 1) });
    expectProblem(refused, 413, 'payload_too_large');
  });

  it('bytes received before a disconnect are kept, and the upload continues after them', async () => {
    const created = await post({ ...TUS, 'upload-length': '100' });
    const path = String(created.headers.location);
    const client = await RawClient.open(under.url);
    client.send(
      `PATCH ${path} HTTP/1.1\r\nHost: a\r\nX-API-Key: ${apiKey}\r\nTus-Resumable: 1.0.0\r\nUpload-Offset: 0\r\n` +
        `Content-Type: application/offset+octet-stream\r\nContent-Length: 100\r\n\r\n${'x'.repeat(40)}`,
    );
    await waitFor('what came', () => ofLast()[1].sizeBytes === 40);
    client.socket.destroy();
    await waitFor('the offset', async () => {
      const { headers } = await under.ask(path, withKey(TUS), 'HEAD');
      return headers['upload-offset'] === '40';
    });
  });
});
