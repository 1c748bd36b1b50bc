import { readFileSync } from 'node:fs';
import { UpstreamBudgets } from '#libs/counters';
import type { Clock, Logger } from '#libs/platform';
import {
  DnsClient,
  DomainLookup,
  NumberLookups,
  NumberRegistries,
  parseUpstreamExceptions,
  ParserWorker,
  UpstreamLimiter,
  Port43Client,
  RdapClient,
  type Registries,
  SafeConnector,
  type UpstreamLimit,
  WayOut,
} from '#libs/resolvers';
import { type LookupConfig, listIn } from './lookup.config.js';

const CONNECTIONS_MAX = 64;

/** The clients of registries, registrars and resolvers; `close` closes their connections. */
export interface Upstreams {
  domains: DomainLookup;
  numbers: NumberLookups;
  dns: DnsClient;
  wayOut: WayOut;
  close(): Promise<void>;
}

/**
 * Creates the clients of registries, registrars and resolvers.
 * @throws Error if `LOOKUP_UPSTREAM_EXCEPTIONS` cannot be parsed or the certificate file cannot be read.
 */
export async function openUpstreams(
  config: LookupConfig,
  registries: Registries,
  { clock, logger }: { clock: Clock; logger: Logger },
): Promise<Upstreams> {
  const wayOut = new WayOut();
  const connector = new SafeConnector({
    wayOut,
    exceptions: parseUpstreamExceptions(config.upstreamExceptions),
    ...(config.extraCaFile && { extraCaPem: readFileSync(config.extraCaFile, 'utf8') }),
  });
  const rdap = new RdapClient(connector);
  const port43 = new Port43Client(connector);
  const { upstreamPerSecond: perSecond, valkeyTlsCa: tlsCa } = config;
  const timeoutMs = config.valkeyTimeoutMs;
  const url = () => config.valkeyUrl;
  const budgets = config.valkeyUrl
    ? await UpstreamBudgets.open({ url, tlsCa, logger, timeoutMs })
    : undefined;
  const limiter = new UpstreamLimiter({
    budgets,
    ...(perSecond !== undefined && { defaultLimit: evenLimit(perSecond) }),
  });
  const parser = new ParserWorker();
  const domains = new DomainLookup({ registries, rdap, port43, limiter, parser, clock });
  const numberRegistries = NumberRegistries.vendored();
  const numbers = new NumberLookups({
    registries: numberRegistries,
    rdap,
    port43,
    limiter,
    parser,
    clock,
  });
  const dns = new DnsClient({ servers: listIn(config.dnsServers), wayOut });
  return {
    domains,
    numbers,
    dns,
    wayOut,
    close: async () => {
      dns.close();
      await Promise.all([rdap.close(), parser.close(), budgets?.close()]);
    },
  };
}

/** Returns a limit with enough connections, at most 64, to reach the rate if an exchange takes a fifth of a second. */
function evenLimit(perSecond: number): UpstreamLimit {
  const connections = Math.min(CONNECTIONS_MAX, Math.max(4, Math.ceil(perSecond / 5)));
  return { buckets: [{ burst: Math.max(5, 2 * perSecond), perSecond }], connections };
}
