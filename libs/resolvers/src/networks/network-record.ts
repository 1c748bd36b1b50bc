import type { Contact, DateValue, LookupOutcome } from '../record.js';

/** A contact as published by a number registry, with every role that the registry names (RFC 9083 §10.2.4). */
export interface NetworkContact extends Contact {
  roles: string[];
  emails: string[];
  phones: string[];
}

/** An address for reports of abuse, and where the registry states it. */
export interface AbuseContact {
  email: string;
  /** `rdap_role`, `abuse-mailbox`, `remark`, `OrgAbuseEmail`, … */
  foundIn: string;
}

export interface NumberBlock {
  /** The first and last address (RFC 5952 for IPv6) or AS number (a plain number). */
  start: string;
  end: string;
  handle?: string;
  parentHandle?: string;
  name?: string;
  /** `ALLOCATED PA`, `DIRECT ALLOCATION`, … in the registry's own terms. */
  type?: string;
  countryCode?: string;
  descriptions: string[];
  statuses: string[];
  created?: DateValue;
  updated?: DateValue;
  geofeedUrl?: string;
  /** The origins that the registry itself names (not in RFC 9083, but in ARIN's answers and in RPSL routes). */
  originAsns: number[];
  contacts: NetworkContact[];
  abuseContacts: AbuseContact[];
}

export interface NetworkSource {
  /** `s1`, `s2`, … in the order of the queries. */
  id: string;
  protocol: 'rdap' | 'whois43' | 'local';
  /** The host name for port 43, the base URL for RDAP, or the document for an answer without a query. */
  server: string;
  fetchedAt: Date;
  latencyMs: number;
  outcome: LookupOutcome;
  httpStatus?: number;
  retryAfterSeconds?: number;
  raw?: string;
  /** True if the answer was cut off. */
  truncated?: boolean;
  /** The fault as a short word, for logs and provenance. */
  error?: string;
}

export interface NumberLookup {
  outcome: LookupOutcome;
  block?: NumberBlock;
  /** The regional registry: `arin`, `ripe`, `apnic`, `lacnic` or `afrinic`. */
  registry?: string;
  /** The purpose of a range that registries do not assign, and the document that defines the range. */
  special?: { purpose: string; document: string };
  sources: NetworkSource[];
  fetchedAt: Date;
  retryAfterSeconds?: number;
  /** The reason in a sentence; only for `unsupported`. */
  reason?: string;
}
