import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { FILES, type FilesAnswer } from '#libs/contracts';
import { DashboardUnderTest } from '../../../../test/dashboard/dashboard-under-test.js';

const ANSWER = FILES.examples[0].answer as FilesAnswer;
const DOWNLOAD = '/api/files/newly/2026-11-19';
const FOLLOWED = { 'sec-fetch-mode': 'navigate' };

let under: DashboardUnderTest;

beforeAll(async () => {
  under = await DashboardUnderTest.start();
});
afterAll(() => under?.stop());
beforeEach(() => under.forget());

it('a withheld file can be requested, because the request queues its check', async () => {
  under.answerWith({ ...ANSWER, files: [{ ...ANSWER.files[0], state: 'withheld' }] });
  expect((await under.get('/files')).text).toContain(`href="${DOWNLOAD}"`);
});

it('a browser that follows a link to a download gets an error as a page, a script as a problem', async () => {
  const detail = 'It is being checked.';
  under.answerWith({ code: 'file_withheld', status: 409, detail, retryable: true }, 409);
  const followed = await under.send('GET', DOWNLOAD, { cookie: under.cookie, ...FOLLOWED });
  expect(followed).toMatchObject({
    status: 409,
    headers: { 'content-type': 'text/html; charset=utf-8' },
    text: expect.stringContaining(detail),
  });
  const { headers, text } = await under.get(DOWNLOAD);
  expect(headers['content-type']).toContain('application/problem+json');
  expect(JSON.parse(text)).toMatchObject({ code: 'file_withheld', detail });
});

it('without a session, a link to a download leads to the log-in, and not back to the file', async () => {
  const { status, headers } = await under.send('GET', DOWNLOAD, FOLLOWED);
  expect([status, headers.location]).toEqual([303, '/log-in']);
});
