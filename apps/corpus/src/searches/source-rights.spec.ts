import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  DNS_HISTORICAL,
  DNS_REVERSE,
  type Operation,
  SUBDOMAINS,
  TYPOS,
  WHOIS_HISTORY,
  WHOIS_REVERSE,
} from '#libs/contracts';
import { CorpusUnderTest } from '#test/corpus';

const day = (number: number) => `2026-03-${String(number).padStart(2, '0')}T12:00:00.000Z`;
const PUBLIC = { name: 'Grace Open', email_address: 'grace@open.example' };
const HIDDEN = { name: 'hidden', isShown: false };

/**
 * Returns observations of a name by a hidden source (`by: 'hidden'`) and by a source whose data may be shown, those of
 * each host and kind in chronological order.
 */
function seenOf(name: string) {
  const dns = (at: number, host: string, ...addresses: string[]) => ({
    kind: 'dns',
    name: `${host}${name}`,
    at: day(at),
    types: ['A'],
    records: addresses.map((value) => ({ type: 'A', value })),
  });
  const whois = (at: number, registrant_contact: object) => ({
    kind: 'whois',
    name,
    at: day(at),
    record: { create_date: '2020-01-01', registrant_contact },
  });
  return [
    { by: 'shown', line: dns(1, '', '198.19.1.1') },
    { by: 'hidden', line: dns(2, '', '198.19.1.1', '198.19.1.66') },
    { by: 'shown', line: dns(3, '', '198.19.1.1', '198.19.1.2') },
    { by: 'hidden', line: dns(4, '', '198.19.1.2', '198.19.1.3') },
    { by: 'shown', line: dns(5, '', '198.19.1.2', '198.19.1.3') },
    { by: 'hidden', line: dns(2, 'www.', '198.19.1.4') },
    { by: 'shown', line: dns(6, 'www.', '198.19.1.4') },
    { by: 'hidden', line: dns(2, 'secret.', '198.19.1.67') },
    { by: 'hidden', line: dns(2, '*.', '198.19.1.4') },
    { by: 'hidden', line: whois(1, { ...PUBLIC, company: 'Secret Holdings' }) },
    { by: 'hidden', line: whois(2, PUBLIC) },
    { by: 'shown', line: whois(3, PUBLIC) },
    { by: 'hidden', line: whois(4, { ...PUBLIC, street: 'Secret Street 1' }) },
  ];
}

describe('data from a source that may not be shown', () => {
  let corpus: CorpusUnderTest;

  beforeAll(async () => {
    corpus = await CorpusUnderTest.start();
  });
  afterAll(() => corpus.stop());

  const ask = async (row: Operation, parameters: Record<string, string>) => {
    const {
      query: _query,
      coverage: _coverage,
      ...answer
    } = await corpus.ask<Record<string, unknown>>(row.owner.path, parameters);
    return JSON.stringify(answer);
  };

  it.each([
    ['in chronological order', (seen: ReturnType<typeof seenOf>) => seen],
    ['in the reverse order', (seen: ReturnType<typeof seenOf>) => seen.toReversed()],
    ['first', (seen: ReturnType<typeof seenOf>) => seen.toSorted((a, b) => (a.by < b.by ? -1 : 1))],
    ['last', (seen: ReturnType<typeof seenOf>) => seen.toSorted((a, b) => (a.by > b.by ? -1 : 1))],
  ])(
    'S70: if it arrives %s, it is not found, counted or shown by any search, and does not hide data from other sources',
    async (order, inOrder) => {
      const name = `rights-${order.replaceAll(' ', '-')}.com`;
      for (const { by, line } of inOrder(seenOf(name))) {
        if (by === 'hidden') await corpus.recordOf(HIDDEN, line);
        else await corpus.record(line);
      }
      const everything = await Promise.all([
        ask(WHOIS_HISTORY, { domainName: name }),
        ask(WHOIS_HISTORY, { domainName: name, view: 'changes' }),
        ask(DNS_HISTORICAL, { domainName: name }),
        ask(DNS_HISTORICAL, { domainName: name, view: 'timeline' }),
        ask(SUBDOMAINS, { domainName: name }),
        ask(WHOIS_REVERSE, { owner: 'grace open' }),
        ask(TYPOS, { keyword: name.split('.')[0] }),
      ]);
      expect(everything.join('\n')).not.toMatch(/secret|198\.19\.1\.6[67]|hidden|\*/i);
      for (const [row, parameters] of [
        [DNS_REVERSE, { value: '198.19.1.66', type: 'A', current: 'false' }],
        [DNS_REVERSE, { value: '198.19.1.67', type: 'A' }],
        [WHOIS_REVERSE, { company: 'secret holdings', scope: 'historic' }],
      ] as const) {
        expect(await ask(row, parameters)).not.toContain(name);
      }
      for (const [row, parameters] of [
        [DNS_REVERSE, { value: '198.19.1.1', type: 'A', current: 'false' }],
        [DNS_REVERSE, { value: '198.19.1.2', type: 'A' }],
        [DNS_REVERSE, { value: '198.19.1.3', type: 'A' }],
        [DNS_REVERSE, { value: '198.19.1.4', type: 'A' }],
        [WHOIS_REVERSE, { email: 'grace@open.example' }],
        [WHOIS_HISTORY, { domainName: name }],
        [SUBDOMAINS, { domainName: name }],
        [TYPOS, { keyword: name.split('.')[0] }],
      ] as const) {
        expect([row.name, parameters, await ask(row, parameters)]).toEqual([
          row.name,
          parameters,
          expect.stringContaining(name),
        ]);
      }
    },
  );

  it.each(['hidden', 'shown'])(
    'S70: hidden data that was observed at the same moment as visible data neither hides nor adds anything, with the %s data first',
    async (first) => {
      const name = `moment-${first === 'shown' ? 1 : 2}.com`;
      const [at, until] = [day(1), day(2)];
      const shown = [
        { kind: 'dns', name, at, types: ['A'], records: [{ type: 'A', value: '198.19.3.1' }] },
        { kind: 'host', name: `www.${name}`, at },
        { kind: 'passive', name, type: 'A', value: '198.19.3.2', at, until },
        { kind: 'whois', name, at, record: { registrant_contact: PUBLIC } },
      ];
      const [dns, host, passive, whois] = shown;
      const hidden = [
        { ...dns, records: [{ type: 'A', value: '198.19.3.66' }] },
        host,
        { ...passive, until: day(9) },
        whois,
      ];
      const bring = {
        hidden: async () => corpus.recordOf(HIDDEN, ...hidden),
        shown: async () => corpus.record(...shown),
      };
      await bring[first as keyof typeof bring]();
      await bring[first === 'hidden' ? 'shown' : 'hidden']();
      const timeline = await ask(DNS_HISTORICAL, { domainName: name, view: 'timeline' });
      expect(timeline).toContain('198.19.3.1');
      expect(timeline).toContain('198.19.3.2');
      expect(timeline).not.toMatch(/198\.19\.3\.66|2026-03-09|hidden/);
      expect(await ask(SUBDOMAINS, { domainName: name })).toContain(`www.${name}`);
      expect(await ask(WHOIS_HISTORY, { domainName: name })).toContain(PUBLIC.name);
      expect(await ask(DNS_REVERSE, { value: '198.19.3.66', type: 'A' })).not.toContain(name);
    },
  );

  it('is not used to find related names', async () => {
    const dns = (name: string, type: string, value: string) => ({
      kind: 'dns',
      name,
      at: day(1),
      types: [type],
      records: [{ type, value }],
    });
    await corpus.recordOf(HIDDEN, dns('mail.unseen-host.com', 'A', '198.18.0.77'));
    await corpus.record(
      dns('follows-host.com', 'MX', '10 mail.unseen-host.com'),
      dns('mail.seen-host.com', 'A', '198.18.0.78'),
      dns('follows-seen-host.com', 'MX', '10 mail.seen-host.com'),
    );
    const related = async (value: string) => ask(DNS_REVERSE, { value, type: 'MX' });
    expect(await related('198.18.0.77')).not.toContain('follows');
    expect(await related('198.18.0.78')).toContain('follows-seen-host.com');
  });
});
