import { readFileSync } from 'node:fs';
import { SECOND_LEVEL_REGISTRIES } from '#libs/domain-names';
import { DAY_MS } from '#libs/platform';
import { DEAD_HOSTS, ONLY_SECOND_LEVEL, SUFFIXES_WITHOUT_SERVICE } from './corrections.js';
import vendored from './tables.json' with { type: 'json' };

export interface RegistryTables {
  /** When IANA published the RDAP table, `YYYY-MM-DD`. */
  publishedOn: string;
  /** When the list of port-43 hosts was last changed, `YYYY-MM-DD`. */
  portsReadOn: string;
  /** The suffixes of each RDAP service, by its base URL with a trailing slash. */
  rdap: Readonly<Record<string, readonly string[]>>;
  /** The suffixes of each port-43 host. */
  whois: Readonly<Record<string, readonly string[]>>;
  /** The delegated top-level domains, in A-labels. */
  tlds: readonly string[];
}

/** The servers to query about a name. If there is none, `reason` says why. */
export interface Route {
  tld: string;
  rdapBaseUrl?: string;
  whoisServer?: string;
  reason?: string;
}

/**
 * The age of the RDAP table beyond which an alert is raised, because hosts change owners, and top-level domains are
 * added and removed.
 */
const RDAP_AGE_DAYS_MAX = 365;
const WHOIS_AGE_DAYS_MAX = 540;

/** Finds the registry of a name (RFC 9224 §4: the longest matching suffix wins). */
export class Registries {
  private readonly rdap: ReadonlyMap<string, string>;
  private readonly whois: ReadonlyMap<string, string>;
  private readonly tlds: ReadonlySet<string>;

  constructor(readonly tables: RegistryTables) {
    const living = bySuffix(tables.whois).filter(([, host]) => !DEAD_HOSTS.has(host));
    this.rdap = new Map(bySuffix(tables.rdap).filter(([, url]) => url.startsWith('https://')));
    this.whois = new Map(living);
    this.tlds = new Set(tables.tlds);
  }

  static vendored(): Registries {
    return new Registries(vendored);
  }

  /** Loads tables that an operator derived. @throws Error if the file is missing or contains no tables. */
  static fromFile(path: string): Registries {
    const tables = JSON.parse(readFileSync(path, 'utf8')) as Partial<RegistryTables>;
    const { publishedOn = '', portsReadOn = '', rdap, whois, tlds } = tables;
    if (!Array.isArray(tlds) || rdap === undefined || whois === undefined) {
      throw new Error(`${path} contains no tables of registries`);
    }
    return new Registries({ publishedOn, portsReadOn, rdap, whois, tlds });
  }

  /** Returns the servers to query about a name. @param name registrable name in lower-case A-labels. */
  route(name: string): Route {
    const tld = name.slice(name.lastIndexOf('.') + 1);
    // The registry of `com` answers only about `uk.com` itself, not about names under `uk.com`.
    const parent = name.slice(name.indexOf('.') + 1);
    const isOfOthers = parent !== tld && ONLY_SECOND_LEVEL.has(tld);
    if (isOfOthers || SUFFIXES_WITHOUT_SERVICE.has(parent)) return { tld, reason: noData(parent) };
    const seller = SECOND_LEVEL_REGISTRIES.get(parent);
    const rdap = seller === undefined ? longestMatch(this.rdap, parent) : undefined;
    const whois = longestMatch(this.whois, parent);
    // The registry of a shorter suffix does not know names that another registry sells.
    const isOf = (one: Match | undefined, other: Match | undefined) =>
      one !== undefined && one.suffix.length >= (other?.suffix.length ?? 0);
    const rdapBaseUrl = isOf(rdap, whois) ? rdap?.service : undefined;
    const whoisServer = seller ?? (isOf(whois, rdap) ? whois?.service : undefined);
    if (rdapBaseUrl === undefined && whoisServer === undefined) {
      return { tld, reason: this.whyNobody(tld) };
    }
    return {
      tld,
      ...(rdapBaseUrl === undefined ? {} : { rdapBaseUrl }),
      ...(whoisServer === undefined ? {} : { whoisServer }),
    };
  }

  /** Returns the route of each delegated top-level domain, in the order of the table. */
  routes(): Route[] {
    return [...this.tlds].map((tld) => this.route(`any.${tld}`));
  }

  /** Returns the route of a top-level domain in lower-case A-labels; undefined if it is not delegated. */
  routeOf(tld: string): Route | undefined {
    return this.tlds.has(tld) ? this.route(`any.${tld}`) : undefined;
  }

  /** Counts the delegated top-level domains: all of them, those with each protocol, and those with neither. */
  coverage(): { tlds: number; rdap: number; whois: number; unsupported: number } {
    const tlds = [...this.tlds];
    const rdap = tlds.filter((tld) => this.rdap.has(tld)).length;
    const whois = tlds.filter((tld) => this.whois.has(tld)).length;
    const unsupported = tlds.filter((tld) => !this.rdap.has(tld) && !this.whois.has(tld)).length;
    return { tlds: tlds.length, rdap, whois, unsupported };
  }

  /**
   * Returns the age of the tables, and whether they are too old. Tables from the future, by this clock, count as new.
   */
  age(now: Date): { rdapDays: number; whoisDays: number; isTooOld: boolean } {
    const daysSince = (day: string) =>
      Math.max(0, Math.floor((now.getTime() - Date.parse(day)) / DAY_MS));
    const rdapDays = daysSince(this.tables.publishedOn);
    const whoisDays = daysSince(this.tables.portsReadOn);
    const isTooOld = !(rdapDays <= RDAP_AGE_DAYS_MAX && whoisDays <= WHOIS_AGE_DAYS_MAX);
    return { rdapDays, whoisDays, isTooOld };
  }

  private whyNobody(tld: string): string {
    if (!this.tlds.has(tld)) {
      // Customers look up names under `.test` with test keys, and would mistake "no such domain" for a fault of the
      // service.
      return tld === 'test'
        ? 'This name under .test is not a fixture; registered.test is one.'
        : `There is no top-level domain .${tld}.`;
    }
    const listed = bySuffix(this.tables.whois).find(([suffix]) => suffix === tld);
    return listed === undefined
      ? noData(tld)
      : `${listed[1]}, listed for .${tld}, no longer belongs to its registry and is never queried.`;
  }
}

const noData = (suffix: string) =>
  `The registry of .${suffix} publishes no machine-readable registration data.`;

function bySuffix(table: Readonly<Record<string, readonly string[]>>): [string, string][] {
  return Object.entries(table).flatMap(([service, suffixes]) =>
    suffixes.map((suffix): [string, string] => [suffix, service]),
  );
}

interface Match {
  suffix: string;
  service: string;
}

/**
 * Looks up the name itself, and then each part of it after a dot, longest first; undefined if the table has none of
 * them.
 */
function longestMatch(table: ReadonlyMap<string, string>, name: string): Match | undefined {
  for (let suffix = name; ; suffix = suffix.slice(suffix.indexOf('.') + 1)) {
    const service = table.get(suffix);
    if (service !== undefined) return { suffix, service };
    if (!suffix.includes('.')) return undefined;
  }
}
