import { expect, it } from '@jest/globals';
import { type LoggedRequest, REQUESTS, type RequestsAnswer, onePage } from '#libs/contracts';
import { DashboardUnderTest } from '../../../../test/dashboard/dashboard-under-test.js';
import { REQUESTS_SCRIPT } from '../assets/requests-script.js';
import { requestPage } from './request-page.js';
import { KeyNames, requestRow } from './request-row.js';
import { requestsPage } from './requests-page.js';

const CONTEXT = { csrfToken: '', isLoggedIn: true, hasMailbox: false };
const ANSWER = REQUESTS.examples[0].answer as RequestsAnswer;
const KEYS = new KeyNames([], 'account');

/** Returns the list of a day, which is today. */
const listed = (day: string) =>
  requestsPage(CONTEXT, { filter: { day }, answer: ANSWER, keys: KEYS, isFirst: true }).text;

const shown = (request: Partial<LoggedRequest>) =>
  requestPage(
    CONTEXT,
    { ...ANSWER.requests[0], ...request },
    { keys: KEYS, apiUrl: 'https://api.example' },
  ).text;

it('rows that the script adds to the request log have the labels of the other rows', () => {
  const text = listed('2026-11-20');
  const labels = [...text.matchAll(/data-label="(\w+)"/g)].map(([, label]) => `'${label}'`);
  expect(REQUESTS_SCRIPT).toContain(`const LABELS = [${labels.join(', ')}];`);
});

it('S67: invisible characters of subjects are escaped for the page and for its script', () => {
  const row = requestRow({ ...ANSWER.requests[0], subject: 'a\u202eb' }, KEYS);
  expect(row.subject).toBe('a\\u{202e}b');
});

it('requests are followed beyond midnight', () => {
  expect(listed('2026-11-20')).toContain('data-tail="/requests/tail?"');
});

it.each([
  ['whois.live', 429, 'rate_limited', 'rate_limited'],
  ['whois.live', 503, 'throttled', 'upstream_throttled'],
  ['whois.live', 503, 'parse_failed', 'upstream_unreadable'],
  ['whois.live', 422, 'unsupported', 'tld_unsupported'],
  ['dns.live', 504, 'timeout', 'resolver_timeout'],
])('%s, %d: the outcome %s leads to the page of %s', (operation, status, outcome, code) => {
  expect(shown({ operation, status, outcome })).toContain(
    `href="https://api.example/errors/${code}"`,
  );
});

it('an outcome without an error page has no link', () => {
  expect(shown({ status: 499, outcome: 'client_gone' })).not.toContain('/errors/');
});

it.each([
  [
    'dns.bulk',
    'a.example, 198.51.100.7',
    { domainNames: ['a.example'], ipAddresses: ['198.51.100.7'] },
  ],
  ['whois.bulk', 'a.example, b.example', { domainNames: ['a.example', 'b.example'] }],
  [
    'domain.typos.scores',
    'own.example, a.example',
    { domainName: 'own.example', domainNames: ['a.example'] },
  ],
])(
  '%s: the form that repeats a request contains the logged names and no others',
  (operation, subject, body) => {
    const json = JSON.stringify(body).replaceAll('"', '&quot;');
    expect(shown({ operation, subject })).toContain(json);
  },
);

it('the script says when the log cannot be read, for example because the session has ended, and continues', async () => {
  let click = () => {};
  let isOn: unknown;
  const element = {
    dataset: { tail: '/requests/tail' },
    textContent: '',
    append: () => {},
    setAttribute: (_name: string, value: unknown) => (isOn = value),
    getAttribute: () => String(isOn),
    addEventListener: (_name: string, listener: () => void) => (click = listener),
    querySelector: (found: string) => (found === 'tbody' ? null : { prepend: () => {} }),
  };
  const document = { querySelector: () => element, createElement: () => element };
  const later: unknown[] = [];
  const run = new Function('document', 'fetch', 'setTimeout', REQUESTS_SCRIPT);
  run(
    document,
    async () => new Response('<p>Log in</p>'),
    (look: unknown) => later.push(look),
  );
  click();
  await new Promise((resolve) => setImmediate(resolve));
  expect([element.textContent, later]).toEqual([
    'The log cannot be read right now.',
    [expect.any(Function)],
  ]);
});

it('a request has the name of its key, even if the key is not among the newest; few such keys are read one by one', async () => {
  const under = await DashboardUnderTest.start();
  try {
    const paging = { ...onePage(1, 50), next_cursor: 'older' };
    const key = (id: string, name = `Name of ${id}`) => ({ id, name, masked: 'dds_live_…a1b2' });
    const old = ['b', 'c', 'd', 'e', 'f'];
    under.answers.set('GET /internal/dashboard/keys', { keys: [key('new')], paging });
    const rest = { keys: old.map((id) => key(id)), paging: onePage(5, 50) };
    under.answers.set('GET /internal/dashboard/keys?cursor=older', rest);
    under.answers.set('GET /internal/dashboard/keys/old', key('old', 'Never rotated'));
    const show = (ids: string[]) =>
      under.answerWith({
        ...ANSWER,
        requests: ids.map((key_id) => ({ ...ANSWER.requests[0], key_id })),
      });
    show(['old']);
    for (const path of ['/requests', '/requests.csv', '/requests/tail']) {
      under.arrived.length = 0;
      expect([path, (await under.get(path)).text]).toEqual([
        path,
        expect.stringContaining('Never rotated'),
      ]);
      const asked = under.arrived.filter(({ line }) => line.includes('/dashboard/keys'));
      expect(asked).toHaveLength(2);
    }
    show(old);
    const { text } = await under.get('/requests.csv');
    for (const id of old) expect(text).toContain(`Name of ${id}`);
  } finally {
    await under.stop();
  }
});
