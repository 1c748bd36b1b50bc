import type { IndexSignals, ReputationSignal, Verdict } from '#libs/contracts';
import { DAY_MS, counted } from '#libs/platform';
import type { DnsLookup, Lookup } from '#libs/resolvers';

/** The facts about a name; sources that did not answer are absent. */
export interface Known {
  registration?: Lookup;
  index?: IndexSignals;
  /** The DNS records, without private addresses. */
  dns?: DnsLookup;
}

export interface Judgement {
  score: number;
  verdict: Verdict;
  signals: ReputationSignal[];
}

const MIDDLE = 50;
const TRUSTED_FROM = 70;
const SUSPICIOUS_BELOW = 35;
/** The highest score that a name on a block list can have. */
const MALICIOUS_MAX = 5;
/**
 * The weights of the first listed hosts below a name; further hosts have no weight. Lists contain hosts of every large
 * hosting service, whose customers decide what the hosts serve, so a listed host says little about the name itself.
 */
const HOST_WEIGHTS = [-15, -5] as const;
const YEAR_DAYS = 365;
/** A name whose letters deviate from the average by this many standard deviations looks random. */
const RANDOM_DEVIATIONS = 3;

/** Signals that do not count as facts, because even names that are unknown to all sources have them. */
const WITHOUT_FACTS: readonly string[] = ['lists_checked', 'no_dns', 'random_letters'];

type Told = [code: string, weight: number, evidence: string, confidence?: number];

/** Judges a name by the known facts. Only a loaded block list can make a name malicious. */
export function judgementOf({ registration, index, dns }: Known, now: Date): Judgement {
  const told = [
    ...(registration ? ofRegistration(registration, now) : []),
    ...(index ? ofIndex(index, registration, now) : []),
    ...(dns ? ofDns(dns) : []),
  ];
  const hosts = new Set<string>();
  const weightOfHost = (host: string): number => {
    if (hosts.has(host)) return 0;
    const weight = HOST_WEIGHTS[hosts.size] ?? 0;
    hosts.add(host);
    return weight;
  };
  const listed = (index?.listings ?? []).map((listing): ReputationSignal => {
    const isName = listing.host === '';
    return {
      code: isName ? 'listed' : 'host_listed',
      weight: isName ? -100 : weightOfHost(listing.host),
      evidence: isName
        ? `on the list for ${listing.category}`
        : `the host ${listing.host} is on the list for ${listing.category}`,
      confidence: 1,
      source: listing.list,
      listed_at: listing.listedAt,
    };
  });
  const signals = [
    ...listed,
    ...told.map(([code, weight, evidence, confidence = 1]) => ({
      code,
      weight,
      evidence,
      confidence,
    })),
  ];
  const points = signals.reduce((sum, { weight }) => sum + weight, MIDDLE);
  const isMalicious = listed.some(({ code }) => code === 'listed');
  const score = Math.max(0, Math.min(isMalicious ? MALICIOUS_MAX : 100, Math.round(points)));
  return { score, verdict: verdictOf(score, isMalicious), signals };
}

/** True if the signal shows that a source has data about the name. */
export const isFact = ({ code }: ReputationSignal) => !WITHOUT_FACTS.includes(code);

function verdictOf(score: number, isMalicious: boolean): Verdict {
  if (isMalicious) return 'malicious';
  if (score >= TRUSTED_FROM) return 'trusted';
  return score < SUSPICIOUS_BELOW ? 'suspicious' : 'neutral';
}

function ofRegistration({ outcome, record }: Lookup, now: Date): Told[] {
  if (outcome === 'not_registered') {
    return [['not_registered', 0, 'the name is not registered']];
  }
  if (!record) return [];
  const { created, expires, statuses, dnssec, redactions } = record;
  const told: Told[] = [];
  if (created) told.push(...ofAge(created.iso, now));
  const left = expires && Date.parse(expires.iso) - now.getTime();
  if (left !== undefined && left > YEAR_DAYS * DAY_MS) {
    told.push(['paid_ahead', 5, `registered until ${expires!.iso.slice(0, 10)}`]);
  }
  const held = statuses.find((one) => /^(server|client)hold$/i.test(one));
  if (held) told.push(['on_hold', -20, `status ${held}`]);
  if (statuses.some((one) => /^pendingdelete$/i.test(one))) {
    told.push(['being_deleted', -10, 'status pendingDelete']);
  }
  if (dnssec?.signed) told.push(['dnssec', 5, 'its delegation is signed']);
  if (redactions.length > 0) told.push(['contacts_withheld', 0, 'contacts are withheld, as usual']);
  return told;
}

function ofAge(since: string, now: Date): Told[] {
  const days = (now.getTime() - Date.parse(since)) / DAY_MS;
  const evidence = `registered since ${since.slice(0, 10)}`;
  if (days >= 5 * YEAR_DAYS) return [['old_registration', 20, evidence]];
  if (days >= YEAR_DAYS) return [['registration_over_a_year', 10, evidence]];
  return days < 30 ? [['new_registration', -20, evidence]] : [];
}

function ofIndex(
  { firstSeen, lists, lexical }: IndexSignals,
  registration: Lookup | undefined,
  now: Date,
): Told[] {
  const told: Told[] = [];
  if (lists > 0) told.push(['lists_checked', 0, `${counted(lists, 'block list')} loaded`]);
  const isLong = firstSeen !== null && now.getTime() - Date.parse(firstSeen) >= YEAR_DAYS * DAY_MS;
  if (isLong && !isOfEarlier(firstSeen, registration)) {
    told.push(['seen_over_a_year', 5, `first seen ${firstSeen.slice(0, 10)}`]);
  }
  if (lexical !== null && lexical.deviations >= RANDOM_DEVIATIONS) {
    const by = lexical.deviations.toFixed(1);
    const evidence = `its letters deviate from the average by ${by} standard deviations (model ${lexical.version})`;
    told.push(['random_letters', -15, evidence, 0.7]);
  }
  return told;
}

/** True if a name was first seen in an earlier registration, which says nothing about its holder. */
function isOfEarlier(firstSeen: string, registration: Lookup | undefined): boolean {
  const { outcome, record } = registration ?? {};
  if (outcome === 'not_registered') return true;
  return (
    record?.created !== undefined && Date.parse(record.created.iso) > Date.parse(firstSeen) + DAY_MS
  );
}

function ofDns({ records, errors, rcode }: DnsLookup): Told[] {
  if (rcode === 'nxdomain') return [['no_dns', -5, 'the name does not exist in the DNS']];
  const of = (type: string) => records.filter((record) => record.type === type);
  const told: Told[] = [];
  if (of('NS').length === 1) told.push(['one_name_server', -5, 'only one name server']);
  const isMail = of('MX').some((record) => record.type === 'MX' && record.exchange !== '.');
  if (isMail) told.push(['takes_mail', 5, 'has MX records']);
  if (of('SPF').length > 0) told.push(['spf', 5, 'its policy states who may send its mail']);
  if (of('CAA').length > 0) told.push(['caa', 5, 'says who may issue its certificates']);
  if (Object.values(errors).includes('private_address')) {
    told.push(['private_address', -10, 'an address is in a private network']);
  }
  return told;
}
