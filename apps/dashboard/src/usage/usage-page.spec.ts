import { expect, it } from '@jest/globals';
import { usagePage } from './usage-page.js';

it('each usage line links to its requests, or to the jobs or monitors that it paid for', () => {
  const date = '2026-11-20';
  const line = (name: string, credits: number) => ({ date, name, requests: 2, failed: 0, credits });
  const { text } = usagePage(
    { csrfToken: 'c', isLoggedIn: true, hasMailbox: false },
    { by: 'operation' },
    {
      from: date,
      to: date,
      days: [
        line('whois.live', 1),
        line('jobs.whois', 9),
        line('jobs.dns', 0),
        line('monitors.checks', 4),
      ],
    },
  );
  expect(text).toContain('href="/requests?day=2026-11-20&amp;operation=whois.live"');
  expect(text).toContain('href="/jobs">jobs.whois');
  expect(text).toContain('href="/requests?day=2026-11-20&amp;operation=jobs.dns"');
  expect(text).toContain('href="/monitors">monitors.checks');
});
