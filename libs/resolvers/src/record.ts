import type { Outcome } from '#libs/contracts';

/**
 * The common format for all registration data (port 43 and RDAP, registry and registrar), and for the result of
 * merging. Serializers convert it to public JSON.
 */

/** The outcome of a lookup of a domain's registration. */
export type LookupOutcome = Exclude<Outcome, 'empty' | 'unknown' | 'invalid'>;

/**
 * A published date. `iso` is `YYYY-MM-DD` for day precision, and RFC 3339 for second precision: in UTC, or with the
 * registry's offset if the registry counts its days by local time (.jp, .tw).
 */
export interface DateValue {
  original: string;
  iso: string;
  precision: 'day' | 'second';
  /** True if the registry says only that the event was before this day, the first of a month. */
  isBound?: true;
}

/** The roles of contacts, named as in RDAP (RFC 9083 §10.2.4). */
export const CONTACT_ROLES = [
  'registrant',
  'administrative',
  'technical',
  'billing',
  'abuse',
  'reseller',
] as const;

export type ContactRole = (typeof CONTACT_ROLES)[number];

export function isContactRole(name: string): name is ContactRole {
  return (CONTACT_ROLES as readonly string[]).includes(name);
}

/** A contact as published. Absent members were not published; see `redactions` for the reason. */
export interface Contact {
  handle?: string;
  name?: string;
  organization?: string;
  street?: string;
  city?: string;
  state?: string;
  postalCode?: string;
  countryCode?: string;
  countryName?: string;
  email?: string;
  phone?: string;
  fax?: string;
}

export interface Registrar {
  ianaId?: string;
  name?: string;
  organization?: string;
  url?: string;
  email?: string;
  phone?: string;
  whoisServer?: string;
  rdapServer?: string;
}

/**
 * A value that the source withholds. `path` is a record path such as `contacts.registrant.name`. `basis` says how we
 * know: by the `redacted` member (RFC 9537), or by a placeholder text.
 */
export interface Redaction {
  path: string;
  basis: 'rfc9537' | 'text';
  reason?: string;
}

/** The data that one source published; collections are empty if it published nothing. */
export interface RegistrationRecord {
  domain?: string;
  handle?: string;
  created?: DateValue;
  updated?: DateValue;
  expires?: DateValue;
  /** Lower-case host names without a trailing dot, in published order, without duplicates. */
  nameServers: string[];
  /** EPP status names in their camelCase form (RFC 5731, RFC 8056), or the source's own words. */
  statuses: string[];
  registrar?: Registrar;
  contacts: Partial<Record<ContactRole, Contact>>;
  dnssec?: { signed: boolean; ds: string[] };
  redactions: Redaction[];
  /** True if a privacy or proxy service replaces the registrant. */
  privacyService: boolean;
  /** Why the name is not available although it is not registered. */
  restriction?: 'reserved' | 'premium' | 'blocked';
  /** The URL or host where the source offers more data. It has not been checked, so it is untrusted. */
  referral?: { whoisServer?: string; rdapUrl?: string };
}

export interface SourceAnswer {
  /** `s1`, `s2`, … in the order of the queries. */
  id: string;
  protocol: 'rdap' | 'whois43';
  role: 'registry' | 'registrar';
  /** The host name for port 43, or the base URL for RDAP. */
  server: string;
  fetchedAt: Date;
  latencyMs: number;
  outcome: LookupOutcome;
  httpStatus?: number;
  retryAfterSeconds?: number;
  /** Decoded text as received (port 43) or JSON text (RDAP), truncated at the size limit. */
  raw?: string;
  truncated?: boolean;
  record?: RegistrationRecord;
  /** The fault as a short word, for logs and provenance: `connect_timeout`, `reset`, `blocked_address`, … */
  error?: string;
}

/** A field on which sources disagree: its record path, each source's value, and the chosen source. */
export interface Conflict {
  path: string;
  chosen: string;
  values: Record<string, string>;
}

/** The merged answer: `fields` maps a record path to the id of its source. */
export interface Lookup {
  /** The registrable name, in A-labels. */
  domain: string;
  outcome: LookupOutcome;
  record?: RegistrationRecord;
  fields: Record<string, string>;
  conflicts: Conflict[];
  sources: SourceAnswer[];
  fetchedAt: Date;
  retryAfterSeconds?: number;
  /** The reason in a sentence; only for `unsupported`. */
  reason?: string;
}
