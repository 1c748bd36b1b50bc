import { afterAll, afterEach, beforeEach } from '@jest/globals';
import type { RequestListener } from 'node:http';
import { DomainLookup } from './domain-lookup.js';
import { LoopbackInternet } from './loopback-internet.contract.js';
import { UpstreamLimiter } from './limiter/upstream-limiter.js';
import { RdapClient } from './rdap/rdap-client.js';
import type { Lookup, LookupOutcome } from './record.js';
import { Registries } from './registries/registries.js';
import { Port43Client } from './whois/port43.js';
import { ParserWorker } from './parser/parser-worker.js';

export const name = 'a.test';
export const now = new Date('2026-11-21T10:00:00Z');
export const wide = { buckets: [{ burst: 1_000, perSecond: 1_000 }], connections: 4 };

/** The time limit of a lookup: long enough for a busy machine, unless a test is about the limit. */
const PATIENT_MS = 60_000;
const patient = { connectMs: PATIENT_MS, firstByteMs: PATIENT_MS, wholeMs: PATIENT_MS };

interface LookupsOptions {
  limiter?: UpstreamLimiter;
  /** Limits of the RDAP client; `whois` has those of the port-43 client. */
  rdap?: object;
  whois?: object;
}

export class LookupHarness {
  internet: LoopbackInternet;
  private readonly parser = new ParserWorker({ timeoutMs: PATIENT_MS });
  private readonly closings: (() => Promise<void>)[] = [];

  /** Creates a harness with a new simulated internet for each test, and one parser for the whole spec file. */
  static forEachTest(): LookupHarness {
    const harness = new LookupHarness();
    beforeEach(() => {
      const internet = (harness.internet = new LoopbackInternet());
      harness.closings.push(() => internet.close());
    });
    afterEach(async () => {
      for (const close of harness.closings.splice(0).toReversed()) await close();
    });
    afterAll(() => harness.parser.close());
    return harness;
  }

  lookups(options: LookupsOptions = {}): DomainLookup {
    const connector = this.internet.connector();
    const rdap = new RdapClient(connector, { ...patient, ...options.rdap });
    this.closings.push(() => rdap.close());
    return new DomainLookup({
      registries: new Registries({
        publishedOn: '2026-11-01',
        portsReadOn: '2026-11-01',
        rdap: { 'https://rdap.nic.test/v1/': ['test', 'rdaponly'] },
        whois: { 'whois.nic.test': ['test', 'whoisonly', 'uk'] },
        tlds: ['test', 'rdaponly', 'whoisonly', 'silent', 'uk'],
      }),
      rdap,
      port43: new Port43Client(connector, { ...patient, ...options.whois }),
      limiter: options.limiter ?? new UpstreamLimiter({ defaultLimit: wide }),
      parser: this.parser,
      clock: { now: () => now },
    });
  }
}

export const registrarUrl = 'https://rdap.registrar.test/domain/a.test';
/** Returns an answer in the layout used by registries of generic top-level domains. */
export const said = (domain: string, more = '') =>
  `Domain Name: ${domain}\nCreation Date: 2001-02-03T04:05:06Z\n` +
  `Registry Expiry Date: 2030-02-03T04:05:06Z\nRegistrar: Example Registrar, Inc.\n${more}`;
export const found = (related?: string): RequestListener => {
  const links = [{ rel: 'related', href: related, type: 'application/rdap+json' }];
  const json = { objectClassName: 'domain', ldhName: name, handle: 'D1', links };
  return (_request, response) => void response.end(JSON.stringify(json));
};
export const registrarFound: RequestListener = (_request, response) => {
  const vcardArray = ['vcard', [['email', {}, 'text', 'owner@a.test']]];
  const entities = [{ roles: ['registrant'], vcardArray }];
  response.end(JSON.stringify({ objectClassName: 'domain', ldhName: name, entities }));
};
export const status =
  (code: number, headers: Record<string, string> = {}): RequestListener =>
  (_request, response) =>
    void response.writeHead(code, headers).end('{"errorCode":404}'.slice(0, code === 404 ? 99 : 0));

/** Returns the outcome, and the result of each source. */
export function told({ outcome, sources }: Lookup): [LookupOutcome, ...string[]] {
  return [outcome, ...sources.map((s) => `${s.protocol} ${s.role} ${s.error ?? s.outcome}`)];
}

/** Returns a function that checks whether the first source was abandoned before all of the text had arrived. */
export function hasNotHeard(text: string): (lookup: Lookup) => boolean {
  return ({ sources }) => sources.at(0)?.raw !== text;
}
