import { parseAddressBlock } from '#libs/domain-names';
import { autnumObject, networkObject } from '../number-answer.js';

type Json = Record<string, unknown>;

const NOTHING = '%ERROR:101: no entries found\n%\n% No entries found in source SIMULATED.\n';

/** Returns the address, block or AS number in a query on port 43, if it has one. */
export function numberIn(question: string): string | undefined {
  const words = question.trim().split(/\s+/);
  const last = words.at(-1) ?? '';
  if (/^as\d+$/i.test(last) || parseAddressBlock(last).ok) return last;
  return words[0] === 'a' && /^\d+$/.test(last) ? `AS${last}` : undefined;
}

/**
 * Returns the answer of a regional registry on port 43, with the same facts as over RDAP: RPSL objects (RFC 2622), or
 * ARIN's layout if the query has its flags (`n + 192.0.2.1`).
 */
export function numberText(number: string, question: string): string {
  const isAsn = /^as/i.test(number);
  const facts = isAsn ? autnumObject(number) : networkObject(number);
  if (facts === undefined) return NOTHING;
  return question.includes(' + ') ? arinText(facts, isAsn) : rpslText(facts, isAsn);
}

function rpslText(facts: Json, isAsn: boolean): string {
  const { name, country, type, handle, ipVersion } = facts;
  const { created, updated, owner, abuse } = partsOf(facts);
  const range = isAsn ? String(handle) : rangeOf(facts);
  const first = isAsn ? 'aut-num' : ipVersion === 'v6' ? 'inet6num' : 'inetnum';
  return [
    '% This is an invented answer of a registry simulator.',
    '',
    `% Information related to '${range}'`,
    '',
    `% Abuse contact for '${range}' is '${abuse.email}'`,
    '',
    attribute(first, range),
    attribute(isAsn ? 'as-name' : 'netname', name),
    attribute('country', country),
    attribute('org', owner.handle),
    attribute('status', type),
    attribute('created', created),
    attribute('last-modified', updated),
    attribute('source', 'SIMULATED'),
    '',
    attribute('organisation', owner.handle),
    attribute('org-name', owner.name),
    attribute('e-mail', owner.email),
    attribute('source', 'SIMULATED'),
    '',
  ].join('\n');
}

function arinText(facts: Json, isAsn: boolean): string {
  const { name, country, type, handle, startAutnum, endAutnum } = facts;
  const { created, updated, owner, abuse } = partsOf(facts);
  const numbers = [
    attribute('ASNumber', `${startAutnum as number} - ${endAutnum as number}`),
    attribute('ASName', name),
    attribute('ASHandle', handle),
  ];
  const addresses = [
    attribute('NetRange', `${facts.startAddress as string} - ${facts.endAddress as string}`),
    attribute('NetName', name),
    attribute('NetHandle', handle),
    attribute('NetType', type),
  ];
  return [
    '#',
    '# This is an invented answer of a registry simulator.',
    '#',
    '',
    ...(isAsn ? numbers : addresses),
    attribute('RegDate', created.slice(0, 10)),
    attribute('Updated', updated.slice(0, 10)),
    '',
    attribute('OrgName', owner.name),
    attribute('OrgId', owner.handle),
    attribute('Country', country),
    '',
    attribute('OrgAbuseHandle', abuse.handle),
    attribute('OrgAbuseName', abuse.name),
    attribute('OrgAbuseEmail', abuse.email),
    '',
  ].join('\n');
}

function rangeOf({ ipVersion, startAddress, endAddress, cidr0_cidrs: cidrs }: Json): string {
  const [{ length }] = cidrs as [{ length: number }];
  if (ipVersion === 'v6') return `${startAddress as string}/${length}`;
  return `${startAddress as string} - ${endAddress as string}`;
}

interface Party {
  handle: string;
  name: string;
  email: string;
}

function partsOf({ events, entities }: Json) {
  const [created, updated] = (events as { eventDate: string }[]).map(({ eventDate }) => eventDate);
  const [owner, abuse] = (entities as { handle: string; vcardArray: [string, string[][]] }[]).map(
    ({ handle, vcardArray: [, properties] }): Party => {
      const valueOf = (name: string) => properties.find(([given]) => given === name)![3];
      return { handle, name: valueOf('fn'), email: valueOf('email') };
    },
  );
  return { created, updated, owner, abuse };
}

function attribute(name: string, value: unknown): string {
  return `${`${name}:`.padEnd(16)}${String(value)}`;
}
