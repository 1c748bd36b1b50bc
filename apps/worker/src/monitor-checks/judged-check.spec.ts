import { describe, expect, it } from '@jest/globals';
import { DAY_MS } from '#libs/platform';
import { type KnownState, judgeCheck } from './judged-check.js';
import { whoisStateOf } from './name-state.js';

const UNKNOWN: KnownState = { state: null, pending: {}, rechecks: 0, restless: {} };
const SOURCES = {
  rdap: ['registry rdap delivered', 'registrar rdap delivered'],
  port43: [
    'registry rdap unreachable',
    'registry whois43 delivered',
    'registrar whois43 delivered',
  ],
  registryAlone: ['registry rdap delivered', 'registrar rdap timeout'],
  cut: ['registry whois43 partial'],
};

it('a path that differs at each check does not delay the confirmation of another path', () => {
  const at = new Date(0);
  const seen = (address: number, host: string) => ({ 'dns.A': [`${address}`], 'dns.NS': [host] });
  let known = judgeCheck(UNKNOWN, seen(0, 'a'), at);
  const judged = (address: number, host: string) => {
    known = judgeCheck(known, seen(address, host), at);
    const { isRecheckWanted, changes, rechecks } = known;
    return [isRecheckWanted, changes.map(({ path }) => path), rechecks];
  };
  for (const address of [1, 2, 3]) expect(judged(address, 'a')).toEqual([true, [], address]);
  for (let address = 4; address < 9; address += 1) {
    expect(judged(address, 'a')).toEqual([false, [], 4]);
  }
  expect(judged(9, 'b')).toEqual([true, [], 3]);
  expect(judged(10, 'b')).toEqual([false, ['dns.NS'], 4]);
});

describe('comparing registrations', () => {
  const seen = (from: keyof typeof SOURCES, members: object) => {
    const sources = SOURCES[from].map((text) => {
      const [role, protocol, outcome] = text.split(' ');
      return { role, protocol, outcome };
    });
    const isPartial = from === 'registryAlone' || from === 'cut';
    return whoisStateOf(
      { domain_registered: 'yes', ...members, provenance: { sources } },
      isPartial,
    );
  };
  const full = {
    domain_registrar: { registrar_name: 'Sample Registrar, Inc.' },
    registrant_contact: { name: 'Alex Sample', email_address: 'alex@example.com' },
    expiry_date: '2030-01-01',
    name_servers: ['ns1.example.net', 'ns2.example.net'],
    domain_status: ['ok'],
    secure_dns: false,
  };
  const asText = {
    domain_registrar: { registrar_name: 'SAMPLE REGISTRAR' },
    registrant_contact: { company: 'Sample Ltd' },
    expiry_date: '2030-01-02',
    name_servers: ['NS2.EXAMPLE.NET', 'ns1.example.net'],
    domain_status: ['active'],
  };

  /** Judges one answer per day, confirming each with a second check. */
  const changesOf = (days: readonly (readonly [keyof typeof SOURCES, object])[]) => {
    let known = UNKNOWN;
    return days.flatMap(([from, members], day) =>
      [0, DAY_MS / 2].flatMap((later) => {
        const judged = judgeCheck(known, seen(from, members), new Date(day * DAY_MS + later));
        known = judged;
        return judged.changes.map(({ type }) => `${day} ${type}`);
      }),
    );
  };

  it('a registration does not count as changed merely because port 43 answers while RDAP does not', () => {
    expect(
      changesOf([
        ['rdap', full],
        ['port43', asText],
        ['rdap', full],
      ]),
    ).toEqual([]);
  });

  it('a change of name servers, or of existence, is reported whichever server says so', () => {
    const moved = { ...asText, name_servers: ['ns1.example.org'] };
    expect(
      changesOf([
        ['rdap', full],
        ['port43', moved],
      ]),
    ).toEqual(['1 name_servers']);
    expect(
      changesOf([
        ['rdap', full],
        ['port43', { domain_registered: 'no' }],
      ]),
    ).toEqual(['1 dropped']);
  });

  it('a change is reported if the previous servers confirm it when they answer again', () => {
    const other = { ...full, registrant_contact: { name: 'Robin Other' } };
    expect(
      changesOf([
        ['rdap', full],
        ['port43', asText],
        ['rdap', other],
      ]),
    ).toEqual(['2 registrant', '2 registrant']);
  });

  it('the registry’s data is compared while the registrar does not answer', () => {
    const held = {
      ...full,
      registrant_contact: { name: 'Privacy Ltd' },
      domain_status: ['clienthold'],
    };
    expect(
      changesOf([
        ['rdap', full],
        ['registryAlone', held],
      ]),
    ).toEqual(['1 status']);
  });

  it('values missing from a truncated answer are not reported as removed', () => {
    const half = { ...asText, name_servers: ['ns1.example.net'] };
    expect(
      changesOf([
        ['port43', asText],
        ['cut', half],
        ['port43', asText],
      ]),
    ).toEqual([]);
  });

  it('values are compared by meaning, not by spelling', () => {
    const spelt = {
      ...full,
      domain_registrar: { registrar_name: 'SAMPLE REGISTRAR INC' },
      name_servers: full.name_servers.toReversed(),
      domain_status: ['OK'],
      secure_dns: undefined,
    };
    expect(
      changesOf([
        ['rdap', full],
        ['rdap', spelt],
      ]),
    ).toEqual([]);
    const other = { domain_registrar: { registrar_name: 'Other Registrar' }, secure_dns: true };
    expect(
      changesOf([
        ['rdap', spelt],
        ['rdap', { ...full, ...other }],
      ]),
    ).toEqual(['1 registrar', '1 dnssec']);
  });

  it('the answers of other servers are accepted after they have answered for a week', () => {
    const week = Array.from({ length: 9 }, () => ['port43', asText] as const);
    const expiring = { ...asText, expiry_date: '2031-01-02' };
    expect(changesOf([['rdap', full], ...week, ['port43', expiring]])).toEqual(['10 expiry']);
  });
});
