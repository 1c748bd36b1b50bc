import { describe, expect, it } from '@jest/globals';
import type { IndexSignals } from '#libs/contracts';
import type { DnsLookup } from '#libs/resolvers';
import { fixtureLookup } from '../fixtures/fixtures.js';
import { judgementOf } from './judgement.js';

const NOW = new Date('2026-11-20T11:42:03Z');
const INDEX: IndexSignals = { firstSeen: null, lists: 1, listings: [], lexical: null };
const DNS: DnsLookup = {
  name: 'a.com',
  records: [],
  errors: {},
  isAuthenticated: false,
  servers: [],
  latencyMs: 1,
};
const listing = (host: string) => ({
  list: 'phish list',
  category: 'phishing',
  host,
  listedAt: '2026-10-01T00:00:00.000Z',
});
const registration = fixtureLookup('registered.test', NOW);

describe('a reputation', () => {
  it('is malicious only if a list contains the name, and then names the list and its date', () => {
    const listed = { ...INDEX, listings: [listing('')] };
    const judged = judgementOf({ registration, index: listed }, NOW);
    expect(judged).toMatchObject({ verdict: 'malicious' });
    expect(judged.score).toBeLessThanOrEqual(5);
    expect(judged.signals[0]).toMatchObject({
      code: 'listed',
      source: 'phish list',
      listed_at: '2026-10-01T00:00:00.000Z',
    });
    const worst = {
      registration: {
        ...registration,
        record: {
          ...registration.record!,
          created: { original: '', iso: '2026-11-19', precision: 'day' as const },
          statuses: ['serverHold', 'pendingDelete'],
        },
      },
      index: {
        ...INDEX,
        listings: [listing('a'), listing('b')],
        lexical: { version: 1, deviations: 9 },
      },
      dns: { ...DNS, rcode: 'nxdomain' as const },
    };
    expect(judgementOf(worst, NOW)).toMatchObject({ score: 0, verdict: 'suspicious' });
  });

  it('falls by at most 20 points, however many hosts are listed, because hosting companies do not decide what their customers serve', () => {
    const judged = (hosts: string[]) =>
      judgementOf({ registration, index: { ...INDEX, listings: hosts.map(listing) } }, NOW);
    const clean = judged([]);
    expect(judged(['docs']).score).toBe(clean.score - 15);
    const many = judged(['docs', 'docs', 'drive', 'forms', 'sites', 'storage']);
    expect(many).toMatchObject({ score: clean.score - 20, verdict: 'neutral' });
    expect(many.signals.slice(0, 6).map(({ weight }) => weight)).toEqual([-15, 0, -5, 0, 0, 0]);
  });

  it('does not count it in a name’s favour that it was seen in an earlier registration', () => {
    const index = { ...INDEX, firstSeen: '2003-01-01T00:00:00.000Z' };
    const codes = (created: string, outcome = registration.outcome) => {
      const record = {
        ...registration.record!,
        created: { original: '', iso: created, precision: 'day' as const },
      };
      const judged = judgementOf(
        { registration: { ...registration, outcome, record }, index },
        NOW,
      );
      return judged.signals.map(({ code }) => code);
    };
    expect(codes('2003-01-01')).toContain('seen_over_a_year');
    expect(codes('2026-11-10')).not.toContain('seen_over_a_year');
    expect(codes('2003-01-01', 'not_registered')).not.toContain('seen_over_a_year');
  });

  it('is the same whether contacts are withheld or not', () => {
    const redacted = fixtureLookup('redacted.test', NOW);
    const [open, withheld] = [registration, redacted].map((one) =>
      judgementOf({ registration: one }, NOW),
    );
    expect([withheld.score, withheld.verdict]).toEqual([open.score, open.verdict]);
    expect(withheld.signals).toContainEqual(
      expect.objectContaining({ code: 'contacts_withheld', weight: 0 }),
    );
  });

  it('is neutral for a name without any information', () => {
    expect(judgementOf({}, NOW)).toEqual({ score: 50, verdict: 'neutral', signals: [] });
  });

  it('S123: a reputation mentions that there is a private address, but not which one', () => {
    const dns = { ...DNS, errors: { A: 'private_address' as const } };
    const { signals } = judgementOf({ dns }, NOW);
    expect(signals).toMatchObject([{ code: 'private_address', weight: -10 }]);
    expect(JSON.stringify(signals)).not.toMatch(/\d+\.\d+\.\d+\.\d+/);
  });
});
