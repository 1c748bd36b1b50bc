import type { AskOptions, DnsAnswer, DnsClient } from './dns-client.js';
import { DnsFault, type DnsFaultKind } from './dns-fault.js';
import type { DnsRecord, DnsType, Rcode } from './dns-record.js';

/** Longer chains are given up, as loops are. */
const CHAIN_LENGTH_MAX = 8;

/** Why there are no records of a type, where that is not the answer itself. */
export type DnsTypeError = DnsFaultKind | Exclude<Rcode, 'noerror' | 'nxdomain'> | 'cname_loop';

/** What is known of a name after asking for some types. */
export interface DnsLookup {
  name: string;
  /** Records by the type that was asked for; a chain of aliases stands under CNAME. */
  records: DnsRecord[];
  errors: Partial<Record<DnsType, DnsTypeError>>;
  /** `nxdomain`: there is no such name. Undefined when no type was answered. */
  rcode?: Rcode;
  /** Every answer was validated by the resolver. */
  isAuthenticated: boolean;
  /** Resolvers that answered. */
  servers: string[];
  latencyMs: number;
}

/**
 * Asks for several types of one name at once. One that fails says so and takes nothing from the others.
 * @param types SPF finds `v=spf1` among TXT, too (RFC 7208 §3.1 retired the type of its own).
 */
export async function lookUpDns(
  client: DnsClient,
  name: string,
  types: readonly DnsType[],
  options: AskOptions,
): Promise<DnsLookup> {
  const wanted = new Set(types);
  const asked = new Set(types);
  if (wanted.has('SPF')) asked.add('TXT');
  const found = new Map<string, DnsRecord>();
  const errors: DnsLookup['errors'] = {};
  const answers: DnsAnswer[] = [];
  const results = await Promise.all(
    [...asked].map(async (type) => [type, await outcomeOf(client, name, type, options)] as const),
  );
  for (const [type, result] of results) {
    if (typeof result === 'string') {
      if (wanted.has(type)) errors[type] = result;
      continue;
    }
    answers.push(result);
    for (const record of recordsFor(type, result)) {
      if (isWanted(record, wanted)) found.set(JSON.stringify(record), record);
    }
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

/** The records of the type, and the aliases on the way to them. */
function recordsFor(type: DnsType, { answers }: DnsAnswer): DnsRecord[] {
  return answers.flatMap((record): DnsRecord[] => {
    if (type === 'TXT' && isSpf(record)) return [record, { ...record, type: 'SPF' }];
    return record.type === type || record.type === 'CNAME' ? [record] : [];
  });
}

function isWanted(record: DnsRecord, wanted: ReadonlySet<DnsType>): boolean {
  return wanted.has(record.type);
}

function isSpf(record: DnsRecord): record is DnsRecord & { type: 'TXT' } {
  return record.type === 'TXT' && /^v=spf1( |$)/i.test(record.strings.join(''));
}

/** Aliases that lead back to one another, or on without an end. */
function isLoop({ questionName, answers }: DnsAnswer): boolean {
  const targets = new Map<string, string>();
  for (const record of answers) {
    if (record.type === 'CNAME') targets.set(record.name, record.target);
  }
  let name: string | undefined = questionName.toLowerCase();
  for (let steps = 0; steps <= CHAIN_LENGTH_MAX; steps++) {
    name = targets.get(name);
    if (name === undefined) return false;
  }
  return true;
}

/** One type that exists shows that the name does. */
function rcodeOf(answers: readonly DnsAnswer[]): Rcode | undefined {
  const exists = answers.find(({ rcode }) => rcode === 'noerror');
  return (exists ?? answers[0])?.rcode;
}
