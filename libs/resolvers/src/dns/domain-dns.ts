import type { AskOptions, DnsAnswer, DnsClient } from './dns-client.js';
import { DnsFault, type DnsFaultKind } from './dns-fault.js';
import type { DnsRecord, DnsType, Rcode } from './dns-record.js';
import { recordText } from './record-text.js';

/** Why the records of a type are unknown. A type without records is not an error. */
export type DnsTypeError =
  | DnsFaultKind
  | Exclude<Rcode, 'noerror' | 'nxdomain'>
  | 'cname_loop'
  | 'private_address'
  | 'private_name'
  | 'too_many_records';

export interface DnsLookup {
  name: string;
  /**
   * The records of the queried types, including those of names to which aliases lead. The aliases themselves are
   * included only if CNAME is queried.
   */
  records: DnsRecord[];
  errors: Partial<Record<DnsType, DnsTypeError>>;
  /** The response code: `nxdomain` if the name does not exist; undefined if no type was answered. */
  rcode?: Rcode;
  /** Whether the resolver has validated every answer. */
  isAuthenticated: boolean;
  servers: string[];
  latencyMs: number;
}

/**
 * The maximum length of the records of one name. The name's owner decides how many there are, and a bulk request
 * answers 100 names in one body.
 */
const LENGTH_MAX = 64 * 1024;
/** The approximate length of a record's other members in an answer. */
const MEMBERS_LENGTH = 100;

export interface LookUpOptions extends AskOptions {
  /** Whether aliases are followed to a name; by default, to every name. */
  isPublic?: (name: string) => boolean;
}

/**
 * Queries several types of one name at once. A type that fails is reported and does not affect the others.
 * @param types SPF also finds `v=spf1` among TXT records (RFC 7208 §3.1 retired the SPF type).
 */
export async function lookUpDns(
  client: DnsClient,
  name: string,
  types: readonly DnsType[],
  options: LookUpOptions,
): Promise<DnsLookup> {
  const wanted = new Set(types);
  const asked = new Set(types);
  if (wanted.has('SPF')) asked.add('TXT');
  const found = new Map<string, DnsRecord>();
  const errors: DnsLookup['errors'] = {};
  const answers: DnsAnswer[] = [];
  let room = LENGTH_MAX;
  const results = await Promise.all(
    [...asked].map(async (type) => [type, await outcomeOf(client, name, type, options)] as const),
  );
  for (const [type, result] of results) {
    if (typeof result === 'string') {
      if (wanted.has(type)) errors[type] = result;
      continue;
    }
    const part = publicPartOf(result, options.isPublic);
    // A requested CNAME record is complete even without the records of its target.
    if (part !== result && wanted.has(type) && type !== 'CNAME') errors[type] = 'private_name';
    answers.push(part);
    const records = recordsFor(type, part).filter((record) => wanted.has(record.type));
    const length = records.reduce((sum, record) => sum + lengthOf(record), 0);
    if (part.isCut || length > room) {
      errors[wanted.has(type) ? type : 'SPF'] = 'too_many_records';
      continue;
    }
    room -= length;
    for (const record of records) note(found, record);
  }
  if (wanted.has('SPF') && errors.SPF === undefined && errors.TXT === undefined) {
    const failedTxt = results.find(([type]) => type === 'TXT')?.[1];
    if (typeof failedTxt === 'string') errors.SPF = failedTxt;
  }
  return {
    name,
    records: [...found.values()],
    errors,
    rcode: rcodeOf(answers),
    isAuthenticated: answers.length > 0 && answers.every((answer) => answer.isAuthenticated),
    servers: [...new Set(answers.map(({ server }) => server))],
    latencyMs: Math.max(0, ...answers.map(({ latencyMs }) => latencyMs)),
  };
}

const lengthOf = (record: DnsRecord) => recordText(record).length + MEMBERS_LENGTH;

/** Adds a record once. Each answer contains the alias, with a different remaining TTL; the lowest TTL is kept. */
function note(found: Map<string, DnsRecord>, record: DnsRecord): void {
  const key = JSON.stringify({ ...record, ttlSeconds: undefined });
  const known = found.get(key);
  if (!known || record.ttlSeconds < known.ttlSeconds) found.set(key, record);
}

async function outcomeOf(
  client: DnsClient,
  name: string,
  type: DnsType,
  options: AskOptions,
): Promise<DnsAnswer | DnsTypeError> {
  try {
    const answer = await client.ask(name, type, options);
    const { rcode } = answer;
    if (rcode !== 'noerror' && rcode !== 'nxdomain') return rcode;
    return isLoop(answer) ? 'cname_loop' : answer;
  } catch (error) {
    if (error instanceof DnsFault) return error.kind;
    throw error;
  }
}

/**
 * Cuts an answer at an alias to a name that is not public. Anyone can point an alias at a name that exists only in our
 * resolver's network, so the answer must not reveal whether that name exists (S123).
 */
function publicPartOf(answer: DnsAnswer, isPublic: LookUpOptions['isPublic']): DnsAnswer {
  const chain = chainOf(answer);
  const end = isPublic ? chain.findIndex((name, step) => step > 0 && !isPublic(name)) : -1;
  if (end === -1) return answer;
  const names = new Set(chain.slice(0, end));
  const answers = answer.answers.filter(({ name }) => names.has(name));
  return { ...answer, rcode: 'noerror', answers };
}

/**
 * Returns the records of the type, and the aliases that lead to them. Of TXT records, those with an SPF policy are
 * also returned as type `SPF`.
 */
function recordsFor(type: DnsType, answer: DnsAnswer): DnsRecord[] {
  const names = new Set(chainOf(answer));
  return answer.answers.flatMap((record): DnsRecord[] => {
    if (!names.has(record.name)) return [];
    if (type === 'TXT' && isSpf(record)) return [record, { ...record, type: 'SPF' }];
    return record.type === type || record.type === 'CNAME' ? [record] : [];
  });
}

function isSpf(record: DnsRecord): record is DnsRecord & { type: 'TXT' } {
  return record.type === 'TXT' && /^v=spf1( |$)/i.test(record.strings.join(''));
}

function isLoop(answer: DnsAnswer): boolean {
  const chain = chainOf(answer);
  const last = chain.at(-1)!;
  return answer.answers.some((record) => record.type === 'CNAME' && record.name === last);
}

/** Returns the requested name and the names to which its aliases lead, each once. */
function chainOf({ questionName, answers }: DnsAnswer): string[] {
  const targets = new Map<string, string>();
  for (const record of answers) {
    if (record.type === 'CNAME') targets.set(record.name, record.target);
  }
  const chain = new Set<string>();
  for (
    let name: string | undefined = questionName.toLowerCase();
    name !== undefined && !chain.has(name);
    name = targets.get(name)
  ) {
    chain.add(name);
  }
  return [...chain];
}

/**
 * Combines the response codes; undefined without an answer. One existing type proves that the name exists, and so does
 * an alias: `nxdomain` then refers to the target of the alias (RFC 6604 §3).
 */
function rcodeOf(answers: readonly DnsAnswer[]): Rcode | undefined {
  const exists = answers.some((answer) => answer.rcode === 'noerror' || isAlias(answer));
  return exists ? 'noerror' : answers[0]?.rcode;
}

/** True if the requested name is an alias, even if its target has no records. */
export function isAlias({ questionName, answers }: DnsAnswer): boolean {
  const name = questionName.toLowerCase();
  return answers.some((record) => record.type === 'CNAME' && record.name === name);
}
