import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { request } from 'undici';
import { UPLOAD_BYTES_MAX, UPLOAD_LINES_MAX } from '#libs/contracts';
import { DAY_MS } from '#libs/platform';
import { makeOwnFolder, waitFor } from '#test/environment';
import { Customer } from './customer.js';
import { type Deployment, openSolo } from './deployment.js';

const NAMES = 'one.com\ntwo.com\n';
const FORM = 'multipart/form-data; boundary=edge';
const TUS = { 'tus-resumable': '1.0.0' };
const PIECE = { ...TUS, 'content-type': 'application/offset+octet-stream' };
const JSON_TYPE = { 'content-type': 'application/json' };
const SENTENCE = /^[A-Z].*\.$/;
const TRIAL_CREDITS = 500;

interface Sent {
  headers?: Record<string, string>;
  body?: Buffer | string;
  key?: string;
}

const partOf = (content: Buffer | string) =>
  Buffer.concat([
    Buffer.from('--edge\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n'),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ]);
const END = Buffer.from('--edge--\r\n');

/**
 * Checks that each refusal is a problem that tells the customer what to do, and that nothing is reserved, charged or
 * left on the disk.
 */
describe('in one process: unusable input', () => {
  const folder = makeOwnFolder('bad-input');
  let deployment: Deployment;
  let customer: Customer;
  let stranger: Customer;

  beforeAll(async () => {
    deployment = await openSolo({ FILES_LOCATION: folder });
    [customer, stranger] = ['bad@story.example', 'other@story.example'].map(
      (email) => new Customer(deployment, email),
    );
    await customer.joinWithCredits();
    await stranger.joinWithCredits();
  });
  afterAll(() => deployment?.stop());

  async function send(method: string, path: string, { headers, body, key }: Sent = {}) {
    const answer = await request(`${deployment.apiUrl}${path}`, {
      method: method as 'GET',
      headers: { 'x-api-key': key ?? customer.key, ...headers },
      body,
    });
    const text = await answer.body.text();
    return {
      status: answer.statusCode,
      headers: answer.headers,
      body: text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {},
    };
  }
  const post = (path: string, body: object, key?: string) =>
    send('POST', path, { headers: JSON_TYPE, body: JSON.stringify(body), key });
  const sendForm = (body: Buffer | string) =>
    send('POST', '/v2.0/uploads', { headers: { 'content-type': FORM }, body });
  const beginTus = async () => {
    const headers = { ...TUS, 'upload-length': String(NAMES.length) };
    const begun = await send('POST', '/v2.0/uploads', { headers });
    expect(begun.status).toBe(201);
    return new URL(String(begun.headers.location), deployment.apiUrl).pathname;
  };
  const leftOnDisk = () =>
    ['worker/uploads', 'worker/.making'].flatMap((place) =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && `${entry.parentPath}/`.includes(`${place}/`))
        .map(({ parentPath, name }) => `${parentPath}/${name}`),
    );

  it('decompression bombs, binary files, truncated files and files that are too long are rejected, each with a reason', async () => {
    const text = gzipSync(NAMES.repeat(1_000));
    const files: [string, Buffer][] = [
      ['not_text', gzipSync(Buffer.alloc(256 * 1024 ** 2))],
      ['not_text', Buffer.from('MZ\x90\0\x03\0\0\0name.com', 'latin1')],
      ['broken_archive', text.subarray(0, text.length - 20)],
      ['nested_archive', gzipSync(text)],
      // Twice as many lines are allowed if they are blank: they are not stored, so the test takes little time.
      ['too_many_lines', gzipSync('\n'.repeat(2 * UPLOAD_LINES_MAX + 1))],
      ['no_names', Buffer.alloc(0)],
    ];
    for (const [reason, file] of files) {
      const { status, body } = await sendForm(Buffer.concat([partOf(file), END]));
      expect(status).toBe(201);
      const path = `/api/uploads/${String(body.id)}`;
      const read = await waitFor(`the refusal: ${reason}`, async () => {
        const { body: upload } = await customer.call('GET', path);
        return upload.state === 'refused' && upload;
      });
      const detail = expect.stringMatching(SENTENCE);
      expect(read.refusal).toEqual({ reason, detail });
      const job = await customer.call('POST', '/api/jobs/whois', { upload_id: body.id });
      const refused = { status: 422, body: { code: 'upload_refused', reason, ...read.refusal } };
      expect(job).toMatchObject(refused);
      const removed = await send('DELETE', `/v2.0/uploads/${String(body.id)}`, { headers: TUS });
      expect(removed.status).toBe(204);
    }
  });

  it('a tus upload with wrong headers is rejected with the header and the reason, and keeps its offset', async () => {
    const path = await beginTus();
    const body = 'x';
    const start = { ...PIECE, 'upload-offset': '0' };
    const length = String(UPLOAD_BYTES_MAX + 1);
    for (const [method, headers, status, field, sent] of [
      ['PATCH', { ...PIECE }, 400, 'Upload-Offset', body],
      ['PATCH', { ...PIECE, 'upload-offset': '-1' }, 400, 'Upload-Offset', body],
      ['PATCH', { ...PIECE, 'upload-offset': '3' }, 409, undefined, body],
      ['PATCH', start, 413, undefined, 'x'.repeat(NAMES.length + 1)],
      ['PATCH', { ...start, 'content-type': 'text/plain' }, 415, undefined, body],
      ['PATCH', { ...start, 'tus-resumable': '0.2.2' }, 412, undefined, body],
      ['POST', { ...TUS }, 400, 'Upload-Length'],
      ['POST', { ...TUS, 'upload-length': 'many' }, 400, 'Upload-Length'],
      ['POST', { ...TUS, 'upload-length': length }, 413],
      ['POST', { ...TUS, 'upload-defer-length': '1' }, 400, 'Upload-Length'],
      ['POST', { ...TUS, 'upload-length': '9', 'upload-concat': 'partial' }, 400, 'Upload-Concat'],
      ['POST', { ...TUS, 'upload-concat': 'final;/v2.0/uploads/1' }, 400, 'Upload-Concat'],
      [
        'POST',
        { ...TUS, 'upload-length': '9', 'upload-metadata': 'a b c' },
        400,
        'Upload-Metadata',
      ],
    ] as const) {
      const to = method === 'POST' ? '/v2.0/uploads' : path;
      const refused = await send(method, to, { headers, body: sent });
      expect([headers, refused]).toMatchObject([headers, { status }]);
      expect(refused.body.detail).toMatch(SENTENCE);
      if (field) expect(refused.body.errors).toContainEqual({ field, message: expect.any(String) });
    }
    const head = await send('HEAD', path, { headers: TUS });
    expect(head.headers['upload-offset']).toBe('0');
    const upload_id = path.split('/').at(-1);
    const job = await customer.call('POST', '/api/jobs/whois', { upload_id });
    expect(job).toMatchObject({ status: 409, body: { code: 'upload_not_ready' } });
    const removed = await send('DELETE', path, { headers: TUS });
    expect(removed.status).toBe(204);
  });

  it('a form is rejected if it is invalid or interrupted, or does not contain exactly one file', async () => {
    const part = partOf(NAMES);
    for (const body of ['', 'nonsense', END, part, Buffer.concat([part, part, END])]) {
      const refused = await sendForm(body);
      expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
      expect(refused.body.detail).toMatch(SENTENCE);
    }
  });

  it('jobs without names, with too many names or with invalid values are rejected, and the fault is named', async () => {
    const domainNames = ['one.com'];
    for (const [field, body] of [
      ['domainNames', {}],
      ['domainNames', { domainNames: [] }],
      ['domainNames', { domainNames: 'one.com' }],
      ['domainNames', { domainNames: [1] }],
      ['upload_id', { upload_id: 'x' }],
      ['upload_id', { upload_id: randomUUID(), domainNames }],
      ['format', { domainNames, format: 'xls' }],
      ['max_age', { domainNames, max_age: -1 }],
      ['deadline_hours', { domainNames, deadline_hours: 169 }],
    ] as const) {
      const refused = await customer.call('POST', '/api/jobs/whois', body);
      const errors = [{ field, message: expect.any(String) }];
      expect([body, refused]).toMatchObject([body, { status: 400, body: { errors } }]);
    }
    const many = { domainNames: Array.from({ length: 1_001 }, (_, n) => `${n}.com`) };
    const tooMany = await customer.call('POST', '/api/jobs/whois', many);
    expect(tooMany).toMatchObject({ status: 413, body: { code: 'payload_too_large' } });
    expect(tooMany.body.detail).toContain('more than 1000 items');
    const none = await customer.call('POST', '/api/jobs/whois', { domainNames: ['-'] });
    expect(none).toMatchObject({ status: 422, body: { code: 'no_valid_names' } });
  });

  it('402 says how many credits are missing, and 403 says which plan covers the request', async () => {
    const many = Array.from({ length: TRIAL_CREDITS + 1 }, (_, n) => `many-${n}.com`);
    const short = await post('/v2.0/jobs/whois', { domainNames: many });
    const code = 'insufficient_credits';
    expect(short).toMatchObject({ status: 402, body: { code, price: 501, shortfall: 1 } });
    const brand = await post('/v2.0/monitors', { kind: 'brand', keyword: 'acme' });
    expect(brand).toMatchObject({ status: 403, body: { code: 'monitor_limit_reached', limit: 0 } });
    expect(brand.body.detail).toContain(String(brand.body.plan));
    const day = new Date(deployment.clock.now().getTime() - DAY_MS).toISOString().slice(0, 10);
    const file = await send('GET', `/v2.0/files/newly_whois/${day}`);
    const plans = ['Domainer WHOIS', 'Domainer All'];
    expect(file).toMatchObject({ status: 403, body: { code: 'dataset_not_included', plans } });
  });

  it('S87: another account’s resources are not found, whether they are read, cancelled or deleted', async () => {
    const upload = await beginTus();
    const domainNames = ['silent-1.com'];
    const { body: job } = await customer.call('POST', '/api/jobs/whois', { domainNames });
    const url = 'https://hooks.example/in';
    const hook = (await post('/v2.0/webhooks', { url, events: ['job.completed'] })).body;
    const monitor = (await post('/v2.0/monitors', { kind: 'domain', domainName: 'a.com' })).body;
    const paths = [
      upload,
      `/v2.0/jobs/${job.id}`,
      `/v2.0/webhooks/${String(hook.id)}`,
      `/v2.0/monitors/${String(monitor.id)}`,
    ];
    for (const path of paths) {
      expect((await send('GET', path)).status).toBe(200);
      const refused = await send('GET', path, { key: stranger.key });
      expect([path, refused.status, refused.body.code]).toEqual([path, 404, 'not_found']);
      const nobody = await send('GET', `${path.slice(0, -12)}000000000000`);
      expect([path, nobody.status]).toEqual([path, 404]);
      const none = await send('GET', path.replace(/[^/]+$/, 'none'));
      expect([path, none.status]).toEqual([path, 400]);
    }
    const cancel = (key?: string) => send('POST', `/v2.0/jobs/${job.id}/cancel`, { key });
    expect((await cancel(stranger.key)).status).toBe(404);
    expect((await cancel()).status).toBe(202);
    expect(await cancel()).toMatchObject({ status: 409, body: { code: 'job_over' } });
    for (const path of [upload, paths[2], paths[3]]) {
      const removed = (key: string) => send('DELETE', path, { headers: TUS, key });
      expect((await removed(stranger.key)).status).toBe(404);
      expect((await removed(customer.key)).status).toBeLessThan(300);
    }
  });

  it('no such request reserves or charges credits, or leaves files on the disk', async () => {
    await waitFor('the files to be removed', () => leftOnDisk().length === 0);
    await waitFor('the credits', async () => {
      const { body } = await customer.call('GET', '/api/balance');
      return body.spendable === TRIAL_CREDITS && body.reserved === 0;
    });
    expect(await customer.call('GET', '/api/uploads')).toMatchObject({ body: { uploads: [] } });
  });

  it('after 30 days, requests for the results of a job get 410', async () => {
    const { id } = (await post('/v2.0/jobs/dns', { domainNames: ['one.com'], types: ['A'] })).body;
    await waitFor('its end', async () => {
      const { body } = await customer.call('GET', `/api/jobs/${String(id)}`);
      return body.finished_at !== null;
    });
    const results = `/v2.0/jobs/${String(id)}/results`;
    expect((await send('GET', results)).status).toBe(200);
    deployment.clock.advance(30 * DAY_MS);
    expect(await send('GET', results)).toMatchObject({
      status: 410,
      body: { code: 'job_expired' },
    });
  });
});
