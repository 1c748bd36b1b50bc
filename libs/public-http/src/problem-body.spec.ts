import { expect, it } from '@jest/globals';
import { NotFound } from '#libs/platform';
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
});
