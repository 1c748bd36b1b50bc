import type { Politeness } from './politeness/politeness.js';
import type { Priority } from './politeness/upstream.js';
import type { RdapClient } from './rdap/rdap-client.js';
import type { Lookup } from './record.js';
import type { Registries } from './registries/registries.js';
import type { Port43Client } from './whois/port43.js';
import type { WhoisParser } from './whois/whois-parser.js';

/** Everything a lookup stands on, so that simulators and tests can stand in for the internet. */
export interface DomainLookupOptions {
  registries: Registries;
  rdap: RdapClient;
  port43: Port43Client;
  politeness: Politeness;
  parser: WhoisParser;
  /** Business time, for `fetchedAt`. */
  clock: { now(): Date };
}

export interface LookupRequest {
  /** Time for the whole lookup; what is there when it is over is answered as `partial`. 20,000. */
  budgetMs?: number;
  /** `live` by default. */
  priority?: Priority;
  signal?: AbortSignal;
}

/** Live registration data of a domain. */
export class DomainLookup {
  constructor(private readonly options: DomainLookupOptions) {}

  /**
   * Looks a registrable name up at its registry and its registrar. Never rejects for what an
   * upstream does: `outcome` says how it ended. Rejects only when `signal` is aborted.
   *
   * @param name registrable name in lower case A-labels, as `parseDomainName` gives it.
   */
  lookup(_name: string, _request: LookupRequest = {}): Promise<Lookup> {
    throw new Error(String(this.options));
  }
}
