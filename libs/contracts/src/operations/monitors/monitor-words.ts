export const MONITOR_KINDS = ['domain', 'brand', 'registrant'] as const;
export type MonitorKind = (typeof MONITOR_KINDS)[number];

export const MONITOR_STATES = ['active', 'paused', 'over_limit'] as const;
export type MonitorState = (typeof MONITOR_STATES)[number];

/** The default interval between two DNS checks of a watched domain, in minutes. Checks at this interval are free. */
export const CHECK_MINUTES = 360;
/** The shortest interval that a customer can choose, in minutes. */
export const CHECK_MINUTES_MIN = 10;
/** The price of each answered check beyond the included ones. */
export const CREDITS_A_CHECK = 1;

const DAY_MINUTES = 1_440;

/** Returns the maximum credits per day for checks at this interval: the first check after each 6 hours is included. */
export function creditsADay(intervalMinutes: number): number {
  const includedEvery = intervalMinutes * Math.ceil(CHECK_MINUTES / intervalMinutes);
  const further =
    Math.ceil(DAY_MINUTES / intervalMinutes) - Math.floor(DAY_MINUTES / includedEvery);
  return further * CREDITS_A_CHECK;
}

const CHECK_PROBLEMS: Readonly<Record<string, string>> = {
  tld_unsupported: 'There is no known source for registrations under this suffix.',
  name_not_public: 'The name is reserved for private networks, so it has no public data.',
  upstream_throttled: 'The registry is limiting our queries at the moment.',
  throttled: 'The registry is limiting our queries at the moment.',
  upstream_unreachable: 'The registry could not be reached.',
  unreachable: 'The registry could not be reached.',
  upstream_timeout: 'The registry did not answer in time.',
  timeout: 'The registry did not answer in time.',
  upstream_unreadable: 'The registry’s answer could not be read.',
  parse_failed: 'The registry’s answer could not be read.',
  resolver_unreachable: 'The name servers could not be reached.',
  resolver_timeout: 'The name servers did not answer in time.',
  unknown: 'The registry did not say whether the name is registered.',
};

/** Explains in a sentence why a check of a watched name got no answer. @param code of the problem, or the outcome. */
export const checkProblemText = (code: string): string =>
  CHECK_PROBLEMS[code] ?? 'The check got no usable answer.';

export const KEYWORD_PLACES = ['contains', 'prefix', 'suffix', 'exact'] as const;
export type KeywordPlace = (typeof KEYWORD_PLACES)[number];

export const MONITOR_EVENT_TYPES = [
  'domain.changed',
  'domain.expiring',
  'brand.match',
  'registrant.match',
  'monitor.limit',
  'monitor.test',
] as const;
export type MonitorEventType = (typeof MONITOR_EVENT_TYPES)[number];

export const HIT_STATES = ['new', 'watched', 'ignored'] as const;
export type HitState = (typeof HIT_STATES)[number];

export const MONITOR_CHANGE_TYPES = [
  'registered',
  'dropped',
  'registration',
  'registrar',
  'registrant',
  'contacts',
  'privacy',
  'name_servers',
  'status',
  'expiry',
  'created',
  'dnssec',
  'dns_a',
  'dns_aaaa',
  'dns_ns',
  'dns_mx',
  'dns_txt',
  'dns_cname',
  'dns_caa',
] as const;
export type MonitorChangeType = (typeof MONITOR_CHANGE_TYPES)[number];

export const MONITOR_CHANGE_TEXTS: Readonly<Record<MonitorChangeType, string>> = {
  registered: 'is registered',
  dropped: 'is no longer registered',
  registration: 'registration',
  registrar: 'registrar',
  registrant: 'registrant',
  contacts: 'contacts',
  privacy: 'privacy service',
  name_servers: 'name servers',
  status: 'status',
  expiry: 'expiry date',
  created: 'creation date',
  dnssec: 'DNSSEC',
  dns_a: 'A records',
  dns_aaaa: 'AAAA records',
  dns_ns: 'NS records',
  dns_mx: 'MX records',
  dns_txt: 'TXT records',
  dns_cname: 'CNAME record',
  dns_caa: 'CAA records',
};

/** Returns the time until a day in words: `today`, `in 1 day`. */
export const daysLeftText = (days: number): string =>
  days === 0 ? 'today' : `in ${days} day${days === 1 ? '' : 's'}`;

export const MATCH_REASONS = [
  'keyword',
  'looks_alike',
  'typo',
  'owner',
  'email',
  'company',
] as const;
export type MatchReason = (typeof MATCH_REASONS)[number];
