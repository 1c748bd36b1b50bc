import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { newId } from '#libs/platform';
import { DashboardUnderTest, OWN_ORIGIN } from '../../../../test/dashboard/dashboard-under-test.js';

let under: DashboardUnderTest;
const id = newId();
const UPLOAD = {
  status: true,
  id,
  state: 'ready',
  file_name: '<b>names',
  counts: { lines: 3, unique: 2, invalid: 0, duplicates: 1 },
  invalid_lines: [],
};
const PRICED = {
  kind: 'whois',
  counts: { ...UPLOAD.counts, unsupported: 1 },
  credits: { price: 1, held: 0, charged: 0, released: 0, shortfall: 1 },
  eta_seconds: 61,
};

beforeAll(async () => {
  under = await DashboardUnderTest.start();
});
afterAll(() => under?.stop());
beforeEach(() => {
  under.forget();
  under.answers.set('POST /internal/uploads', UPLOAD);
  under.answers.set(`GET /internal/uploads/${id}`, UPLOAD);
  under.answers.set('POST /internal/jobs/whois?dry_run=true', PRICED);
});

const part = (name: string, value: string) =>
  `--edge\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;

/** Sends the form as a browser without scripts does, with the token only in the form. */
function send(fields: string) {
  const { cookie } = under;
  const { 'x-csrf-token': _token, ...ours } = under.ours;
  const body = `${fields}${part('file"; filename="a.csv', 'name-1.com')}--edge--\r\n`;
  const type = 'multipart/form-data; boundary=edge';
  const headers = { ...ours, cookie, origin: OWN_ORIGIN, 'content-type': type };
  return { body, answer: under.send('POST', '/uploads', headers, Buffer.from(body)) };
}

it('a form with a file reaches the worker byte for byte, and leads to the price', async () => {
  const token = under.ours['x-csrf-token'];
  const sent = send(part('csrf', token) + part('idempotency_key', newId()));
  const { status, headers } = await sent.answer;
  expect([status, headers.location]).toEqual([303, `/uploads/${id}`]);
  const [arrived] = under.arrived;
  expect(arrived.line).toBe('POST /internal/uploads');
  expect(arrived.body.toString()).toBe(sent.body);
  const page = await under.send('GET', `/uploads/${id}`, { cookie: under.cookie });
  const text = page.body.toString();
  expect(text).toContain('1 name without a known source of WHOIS data, free. Up to 1 credit for');
  expect(text).toContain('for WHOIS and 2 for DNS; WHOIS takes');
  expect(text).toContain('You need 1 more credit.');
  expect(text).not.toContain('<b>names');
});

it('S29: without the right token, nothing reaches the worker', async () => {
  for (const fields of ['', part('csrf', 'x'.repeat(43)), part('a', 'x'.repeat(9_000))]) {
    const { status } = await send(fields).answer;
    expect(status).toBe(403);
  }
  expect(under.arrived.filter(({ line }) => line.includes('uploads'))).toEqual([]);
});
