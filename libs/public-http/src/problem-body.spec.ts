import { expect, it } from '@jest/globals';
import { InvalidRequest, NotFound, Problem } from '#libs/platform';
import { ProblemBodies } from './problem-body.js';

const bodies = new ProblemBodies('https://api.example', {
  now: () => new Date('2026-11-30T10:00:00Z'),
});

it.each([
  ['http://user:secret@api.example/v2.0/whois/live?apiKey=key', '/v2.0/whois/live'],
  ['HTTPS://user:secret@api.example', ''],
  ['/v2.0/at://user', '/v2.0/at://user'],
])(
  'S9: a refusal of the target %s shows no origin, which may contain a password',
  (path, shown) => {
    const text = bodies.render(new NotFound(), { requestId: 'one', path });
    expect(JSON.parse(text)).toMatchObject({ path: shown });
  },
);

it.each([
  ['insufficient_credits', '/credits'],
  ['rate_limited', '/plans'],
  ['key_paused', '/plans'],
])('a refusal %s links to the page %s, where its cause can be removed', (code, page) => {
  const selling = new ProblemBodies(
    'https://api.example',
    { now: () => new Date() },
    'https://dashboard.example',
  );
  expect(selling.linksOf(code)).toBe(
    `<https://api.example/errors/${code}>; rel="help", <https://dashboard.example${page}>; rel="payment"`,
  );
  expect(bodies.linksOf(code)).not.toContain('payment');
  const problem = new Problem({ code, status: 402, detail: '' });
  expect(bodies.render(problem, { requestId: 'one', path: '/' })).not.toContain('credits_url');
});

it('S8: a key in the text or in a field of a problem is masked', () => {
  const key = `dds_live_${'a'.repeat(36)}`;
  const problems = [new NotFound(key), new InvalidRequest([{ field: key, message: `not ${key}` }])];
  for (const problem of problems) {
    const text = bodies.render(problem, { requestId: 'one', path: `/v2.0/${key}` });
    expect([text.includes(key), text.includes('dds_live_***')]).toEqual([false, true]);
  }
});
