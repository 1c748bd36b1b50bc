import type { Contact, DateValue, LookupOutcome } from '../record.js';

/** A contact as published by a number registry, with every role it names (RFC 9083 §10.2.4). */
export interface NetworkContact extends Contact {
  roles: string[];
  emails: string[];
  phones: string[];
}

/** The source of an abuse address: an entity's role, an RPSL attribute or a remark. */
export interface AbuseContact {
  email: string;
  /** `rdap_role`, `abuse-mailbox`, `remark`, `OrgAbuseEmail`, … */
  foundIn: string;
}

/** A block of addresses or of AS numbers, as its registry publishes it. */
export interface NumberBlock {
  /** First and last address (RFC 5952 for IPv6), or AS number in plain form. */
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
  /** Origins named by the registry itself (RFC 9083 has none, but ARIN and RPSL routes do). */
  originAsns: number[];
  contacts: NetworkContact[];
  abuseContacts: AbuseContact[];
}

/** An exchange with one server, successful or not. */
export interface NetworkSource {
  /** `s1`, `s2`, … in the order of the queries. */
  id: string;
  protocol: 'rdap' | 'whois43' | 'local';
  /** Host name for port 43, base URL for RDAP; the document if the answer is local. */
  server: string;
  fetchedAt: Date;
  latencyMs: number;
  outcome: LookupOutcome;
  httpStatus?: number;
  retryAfterSeconds?: number;
  /** The answer as received, truncated at the size limit. */
  raw?: string;
  /** A short word for logs and provenance. */
  error?: string;
}

/** The result of a lookup of an address, a block of addresses or an AS number. */
export interface NumberLookup {
  outcome: LookupOutcome;
  block?: NumberBlock;
  /** The regional registry: `arin`, `ripe`, `apnic`, `lacnic`, `afrinic`. */
  registry?: string;
  /** Set for ranges that are not assigned by registries: their purpose, and the document that defines it. */
  special?: { purpose: string; document: string };
  sources: NetworkSource[];
  fetchedAt: Date;
  retryAfterSeconds?: number;
  /** Only for `unsupported`: a sentence with the reason. */
  reason?: string;
}
