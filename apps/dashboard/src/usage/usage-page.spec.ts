import { expect, it } from '@jest/globals';
import { DashboardUnderTest } from '../../../../test/dashboard/dashboard-under-test.js';
import { usagePage } from './usage-page.js';
import { workOnDays } from './work.js';

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

it('usage that takes too long to read is not said to be available in a moment', async () => {
  const under = await DashboardUnderTest.start();
  try {
    const detail = 'Request fewer days.';
    under.answerWith({ code: 'search_too_heavy', status: 503, detail, retryable: true }, 503);
    const { status, text } = await under.get('/usage?from=2025-12-01&to=2026-11-30');
    expect([status, text]).toEqual([503, expect.stringContaining(detail)]);
    expect(text).not.toContain('in a moment');
  } finally {
    await under.stop();
  }
});

it('the credits of all jobs of a day are one line', () => {
  const none = { requests: 0, failed: 0 };
  const used = (date: string, operation: string, credits: number) => ({
    date,
    operation,
    ...none,
    credits,
  });
  const days = [
    used('2026-11-20', 'jobs.dns', 3),
    used('2026-11-20', 'jobs.whois', 4),
    used('2026-11-20', 'monitors.checks', 1),
    used('2026-11-21', 'jobs.whois', 2),
    used('2026-11-21', 'whois.live', 9),
  ];
  expect(workOnDays(days)).toEqual([
    { date: '2026-11-20', name: 'Bulk jobs', ...none, credits: 7 },
    { date: '2026-11-20', name: 'Monitors', ...none, credits: 1 },
    { date: '2026-11-21', name: 'Bulk jobs', ...none, credits: 2 },
  ]);
});
