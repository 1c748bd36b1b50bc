import { expect, it } from '@jest/globals';
import { usagePage } from './usage-page.js';

it('each line of use links to its requests', () => {
  const date = '2026-11-20';
  const { text } = usagePage(
    { csrfToken: 'c', isLoggedIn: true, hasMailbox: false },
    { by: 'operation' },
    {
      from: date,
      to: date,
      days: [{ date, name: 'whois.live', requests: 2, failed: 0, credits: 1 }],
    },
  );
  expect(text).toContain('href="/requests?day=2026-11-20&amp;operation=whois.live"');
});
