import { afterAll, beforeAll, beforeEach, expect, it, jest } from '@jest/globals';
import {
  JOB,
  JOB_WHOIS,
  type JobAnswer,
  type JobRequest,
  UPLOAD,
  type UploadAnswer,
  limitsOf,
} from '#libs/contracts';
import { DashboardUnderTest } from '../../../../test/dashboard/dashboard-under-test.js';
import { durationWords } from './duration-words.js';

let under: DashboardUnderTest;

beforeAll(async () => {
  under = await DashboardUnderTest.start();
});
afterAll(() => under?.stop());
beforeEach(() => under.forget());

const DONE = JOB.examples[0].answer as JobAnswer;
const QUEUED = JOB_WHOIS.examples[0].answer as JobAnswer;
const READY = UPLOAD.examples[0].answer as UploadAnswer;
const at = `/jobs/${DONE.id}`;

function answerWithJob(job: JobAnswer): void {
  under.answers.set(`GET /internal${at}`, job);
}

it('a job in progress shows done, total and time left, and its page reloads itself until it has ended', async () => {
  const counts = { lines: 50_000, unique: 50_000, invalid: 0, duplicates: 0, unsupported: 0 };
  answerWithJob({
    ...QUEUED,
    state: 'running',
    counts: { ...counts, delivered: 12_300, failed: 10, arrived: 40, waiting: 37_650 },
    progress: 0.247,
    eta_seconds: 200,
  });
  const { text, headers } = await under.get(at);
  expect(text).toContain('12,350 of 50,000 names (24 %), about 4 minutes left');
  // Without the path, the answer to a form would load the form's URL, to which one can only post.
  expect(headers.refresh).toBe(`5; url=${at}`);
  const still = await under.get(`${at}?reload=off`);
  expect(still.headers.refresh).toBeUndefined();
  answerWithJob(DONE);
  const done = await under.get(at);
  expect(done.headers.refresh).toBeUndefined();
  expect(done.text).toContain(`href="/api${at}/results"`);
  expect(done.text).toContain('has an apostrophe before it');
});

it('names that are free are listed as not charged, whether or not they have an answer', async () => {
  const shown = async (failed: number) => {
    answerWithJob({ ...DONE, counts: { ...DONE.counts, failed } });
    return (await under.get(at)).text.replaceAll(/\s+/g, ' ');
  };
  expect(await shown(1)).toContain('1 name not charged: its row has 0 in');
  const text = await shown(2);
  expect(text).toContain('2 names not charged: their rows have 0 in');
  expect(text).toContain('<dt>Not charged</dt> <dd>2</dd>');
  expect(text).not.toContain('Without an answer');
});

it('the page of a failed job does not say that no name was answered', async () => {
  answerWithJob({ ...DONE, state: 'failed', artifacts: [] });
  const { text } = await under.get(at);
  expect(text).toContain('The job could not be completed');
  expect(text).not.toContain('before a name was answered');
});

it('a job with typed names starts only after their price and rejected lines have been shown', async () => {
  const invalid_lines = [{ line: 2, message: '<b>' }];
  const priced = {
    ...QUEUED,
    id: null,
    counts: { ...QUEUED.counts, lines: 3, unique: 2, invalid: 1 },
    credits: { price: 2, held: 0, charged: 0, released: 0, shortfall: 1 },
    invalid_lines,
  };
  under.answers.set('POST /internal/jobs/dns?dry_run=true', priced);
  under.answers.set('POST /internal/jobs/dns', QUEUED);
  const options = { kind: 'dns', format: 'json.gz', max_age: '3600', types: 'a, mx' };
  const fields = { domainNames: 'a.com\r\n\r\n?\r\nb.com', ...options };
  const shown = await under.post('/jobs', new URLSearchParams(fields).toString());
  expect(shown.status).toBe(200);
  expect(shown.text).toContain('Up to 2 credits');
  expect(shown.text).toContain('You need 1 more credit.');
  expect(shown.text).toContain('Line 2: &lt;b&gt;');
  expect(under.arrived.map(({ line }) => line)).toEqual(['POST /internal/jobs/dns?dry_run=true']);
  const key = /name="idempotency_key" value="([^"]+)"/.exec(shown.text)?.[1] ?? '';
  for (const [name, value] of Object.entries(options)) {
    expect(shown.text).toContain(`name="${name}" value="${value}"`);
  }
  const start = { ...fields, step: 'start', idempotency_key: key };
  const started = new URLSearchParams(start).toString();
  const { status, headers } = await under.post('/jobs', started);
  expect([status, headers.location]).toEqual([303, `/jobs/${QUEUED.id}`]);
  const { line, body, headers: sent } = under.arrived.at(-1)!;
  expect(line).toBe('POST /internal/jobs/dns');
  expect(sent['idempotency-key']).toBe(key);
  expect(key).not.toBe('');
  expect(JSON.parse(String(body))).toEqual({
    domainNames: ['a.com', '?', 'b.com'],
    format: 'json.gz',
    max_age: 3_600,
    types: ['A', 'MX'],
  });
});

it('1,000 names can be typed, however long they are; more are kept in the form, which says what to do', async () => {
  under.answers.set('POST /internal/jobs/whois?dry_run=true', { ...QUEUED, id: null });
  const typed = (count: number) => {
    const names = Array.from({ length: count }, (_, at) => `${'long'.repeat(10)}-${at}.com`);
    return new URLSearchParams({ domainNames: names.join('\r\n'), kind: 'whois' }).toString();
  };
  expect((await under.post('/jobs', typed(1_000))).status).toBe(200);
  const { domainNames } = JSON.parse(under.arrived.at(-1)!.body.toString()) as JobRequest;
  expect(domainNames).toHaveLength(1_000);
  const paging = { next_cursor: null };
  under.answers.set('GET /internal/jobs', { jobs: [], paging });
  under.answers.set('GET /internal/uploads', { uploads: [], paging });
  const { status, text } = await under.post('/jobs', typed(1_001));
  expect([status, text]).toEqual([413, expect.stringContaining('You entered 1,001 names.')]);
  expect(text).toContain('-1000.com');
});

it('a WHOIS job of an upload may accept stored answers, and has no record types', async () => {
  under.answers.set('POST /internal/jobs/whois', QUEUED);
  const job = new URLSearchParams({ kind: 'whois', max_age: '86400', types: 'a' }).toString();
  const { headers } = await under.post(`/uploads/${READY.id}/job`, job);
  expect(headers.location).toBe(`/jobs/${QUEUED.id}`);
  const { body } = under.arrived.at(-1)!;
  expect(JSON.parse(body.toString())).toEqual({ upload_id: READY.id, max_age: 86_400 });
});

it('S66: lines without a domain name, and file names, are shown as text', async () => {
  const invalid_lines = [{ line: 3, message: '<b>' }];
  answerWithJob({ ...DONE, counts: { ...DONE.counts, invalid: 30 }, invalid_lines });
  const { text } = await under.get(at);
  expect(text).toContain('Line 3: &lt;b&gt;');
  expect(text).toContain('And 29 more.');
  const uploads = [{ ...READY, file_name: '<i>' }];
  const paging = { next_cursor: 'MDE5' };
  under.answers.set('GET /internal/jobs', { jobs: [DONE], paging });
  under.answers.set('GET /internal/uploads', { uploads, paging });
  const list = await under.get('/jobs');
  expect(list.text).toContain('href="/jobs?cursor=MDE5"');
  expect(list.text).toContain(`href="${at}"><strong>WHOIS of 2 names`);
  expect(list.text).toContain('2026-11-20 10:00 UTC');
  expect(list.text).toContain(`<code>${DONE.id}</code>`);
  expect(list.text).not.toMatch(/<i>|<b>/);
});

it('a job can be cancelled while it is being prepared, as by the API', async () => {
  answerWithJob({ ...QUEUED, id: DONE.id, state: 'validating' });
  expect((await under.get(at)).text).toContain(`action="${at}/cancel"`);
  answerWithJob({ ...QUEUED, id: DONE.id, state: 'finalizing' });
  expect((await under.get(at)).text).not.toContain(`action="${at}/cancel"`);
});

it('an upload can be removed by a form', async () => {
  const { headers, status } = await under.post(`/uploads/${READY.id}/remove`, '');
  expect([status, headers.location]).toEqual([303, '/jobs']);
  expect(under.arrived.at(-1)).toMatchObject({ line: `DELETE /internal/uploads/${READY.id}` });
});

it.each([
  [0, 'less than a minute'],
  [60, 'about 1 minute'],
  [61, 'about 2 minutes'],
  [3_600, 'about 60 minutes'],
  [7_200, 'about 2 hours'],
  [172_800, 'about 2 days'],
])('a time of %d seconds is described as %s', (seconds, words) => {
  expect(durationWords(seconds)).toBe(words);
});

it('the start of a job may take as long on its page as in a call with a key', async () => {
  const limits = jest.spyOn(AbortSignal, 'timeout');
  try {
    for (const path of ['/jobs', `/uploads/${READY.id}/job`]) {
      limits.mockClear();
      await under.post(path, 'step=start&domainNames=a.example');
      expect(limits.mock.calls).toContainEqual([limitsOf(JOB_WHOIS).timeoutMs]);
    }
  } finally {
    limits.mockRestore();
  }
});

it('the page of an upload says whether its file has arrived completely', async () => {
  const words = async (state: UploadAnswer['state']) => {
    under.answers.set(`GET /internal/uploads/${READY.id}`, { ...READY, state });
    return (await under.get(`/uploads/${READY.id}`)).text;
  };
  expect(await words('receiving')).toContain('The file has not arrived completely.');
  expect(await words('receiving')).toContain('choose it again');
  expect(await words('reading')).toContain('The names are being read.');
  const uploads = [{ ...READY, state: 'receiving', size_bytes: 200, received_bytes: 101 }];
  const paging = { next_cursor: null };
  under.answers.set('GET /internal/jobs', { jobs: [], paging });
  under.answers.set('GET /internal/uploads', { uploads, paging });
  expect((await under.get('/jobs')).text).toContain('being received (50 %)');
});
