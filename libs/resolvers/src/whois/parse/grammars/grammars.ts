import { tableOf } from '../dictionary/dictionary.js';
import { AFRICA } from './africa.js';
import { AMERICAS } from './americas.js';
import { ASIA_PACIFIC } from './asia-pacific.js';
import { EASTERN_EUROPE } from './eastern-europe.js';
import type { Grammar, ReadyGrammar } from './grammar.js';
import { sisterOf } from './sister-tlds.js';
import { WESTERN_EUROPE } from './western-europe.js';

/** Beginnings of lines that contain a date without a colon, at any server. */
const COMMON_PHRASES: Readonly<Record<string, readonly string[]>> = {
  created: [
    'record created on',
    'record created',
    'registered on',
    'domain created on',
    'created on',
  ],
  updated: [
    'record last updated on',
    'record last updated',
    'record changed on',
    'record updated on',
  ],
  expires: ['record expires on', 'record will expire on', 'expires on', 'registered until'],
};

const ALL = [...WESTERN_EUROPE, ...EASTERN_EUROPE, ...AMERICAS, ...ASIA_PACIFIC, ...AFRICA];
const PLAIN = prepare({});
const BY_SERVER = new Map<string, ReadyGrammar>();
const BY_TLD = new Map<string, ReadyGrammar>();

for (const grammar of ALL) {
  const ready = prepare(grammar);
  for (const server of grammar.servers ?? []) BY_SERVER.set(server, ready);
  for (const tld of grammar.tlds ?? []) BY_TLD.set(tld, ready);
}

/**
 * Returns the grammar of a server. If the server has none, a registry's answer uses the grammar of the longest suffix
 * that has one, and any other answer uses only the general rules.
 */
export function grammarFor(context: {
  server: string;
  tld: string;
  role: 'registry' | 'registrar';
}): ReadyGrammar {
  const byServer = BY_SERVER.get(context.server.toLowerCase());
  if (byServer !== undefined) return byServer;
  if (context.role === 'registrar') return PLAIN;
  let tld = context.tld.toLowerCase().slice(0, 253);
  for (;;) {
    const found = ofTld(tld);
    if (found !== undefined) return found;
    const dot = tld.indexOf('.');
    if (dot < 0) return PLAIN;
    tld = tld.slice(dot + 1);
  }
}

/** True for a top-level domain whose registry's answers need more than the general rules. */
export function hasGrammar(tld: string): boolean {
  return ofTld(tld) !== undefined;
}

function ofTld(tld: string): ReadyGrammar | undefined {
  return BY_TLD.get(tld) ?? BY_TLD.get(sisterOf(tld) ?? '');
}

function prepare(grammar: Grammar): ReadyGrammar {
  const phrases = [...Object.entries(grammar.phrases ?? {}), ...Object.entries(COMMON_PHRASES)];
  return {
    dates: grammar.dates ?? {},
    keys: tableOf(grammar.keys ?? {}, ''),
    phrases: phrases.flatMap(([field, starts]) => starts.map((it) => [it, field] as const)),
    columns: grammar.columns ?? false,
    block: grammar.block ?? [],
    address: grammar.address ?? [],
    organizationFirst: grammar.organizationFirst ?? false,
    headerIsHandle: grammar.headerIsHandle ?? false,
    registrantIsOrganization: grammar.registrantIsOrganization ?? false,
    lastUpdateLast: grammar.lastUpdateLast ?? false,
    lastRecordCounts: grammar.lastRecordCounts ?? false,
    hostPerLine: grammar.hostPerLine ?? false,
    looseParty: grammar.looseParty,
  };
}
