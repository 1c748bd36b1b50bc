import { IsIn, IsInt, IsNumber, IsOptional, IsString, IsUrl, Max, Min } from 'class-validator';
import { ValkeyTimeout, ValkeyTlsCa, ValkeyUrl } from '#libs/counters';
import { PortSetting, InternalCallsConfig, Setting, urlSettingOf } from '#libs/platform';
import { KEPT, type Kept } from './observations/observed-lines.js';

export class LookupConfig extends InternalCallsConfig {
  @Setting({ env: 'LOOKUP_HOST', about: 'Address of the internal listener.' })
  @IsString()
  host: string = '127.0.0.1';

  @PortSetting({
    env: 'LOOKUP_PORT',
    about: 'Port of the internal listener; 0 selects a free port.',
  })
  port: number = 7104;

  @Setting({
    env: 'LOOKUP_SOCKET',
    about:
      'Path of a Unix socket on which the same routes are served, for a gateway on this machine.',
  })
  @IsOptional()
  @IsString()
  socketPath?: string;

  @Setting({
    env: 'LOOKUP_UPSTREAM_EXCEPTIONS',
    about:
      'host:port=address:port, separated by commas: upstreams at a fixed address, without the check for public addresses. For simulators and closed networks.',
  })
  @IsString()
  upstreamExceptions: string = '';

  @Setting({
    env: 'LOOKUP_EXTRA_CA_FILE',
    about:
      'PEM file of certificate authorities that RDAP servers may use in addition to the public ones.',
  })
  @IsOptional()
  @IsString()
  extraCaFile?: string;

  @Setting({
    env: 'LOOKUP_AS_RELATIONS_FILE',
    about:
      "File of AS relationships (upstreams, downstreams and peers of AS numbers) in CAIDA's format (as-rel, also .gz), read at startup. Unset: unknown.",
  })
  @IsOptional()
  @IsString()
  asRelationsFile?: string;

  @Setting({
    env: 'LOOKUP_DELEGATED_FILES',
    about:
      'Statistics files of the regional registries in the extended format (delegated-…-extended, also .gz), separated by commas, read at startup. They contain the address blocks of the holders of AS numbers. Empty: unknown.',
  })
  @IsString()
  delegatedFiles: string = '';

  @Setting({
    env: 'LOOKUP_PREFIX_ORIGINS_FILE',
    about:
      "File of prefixes and the AS numbers that originate them in CAIDA's format (pfx2as, also .gz), read at startup. It contains the routes of AS numbers and the origins of addresses. `npm run cli -- routing convert` creates one from an MRT dump. Unset: unknown.",
  })
  @IsOptional()
  @IsString()
  prefixOriginsFile?: string;

  @Setting({
    env: 'LOOKUP_REGISTRIES_FILE',
    about:
      'Registry tables that replace the tables of this version, as written by `npm run cli -- tlds refresh`. Read at startup.',
  })
  @IsOptional()
  @IsString()
  registriesFile?: string;

  @Setting({
    env: urlSettingOf('corpus'),
    about:
      'Internal listener of the corpus, which stores answers and gives signals for reputation. Unset: neither is done.',
  })
  @IsOptional()
  @IsUrl({ require_tld: false, require_protocol: true })
  corpusUrl?: string;

  @Setting({
    env: 'LOOKUP_KEEP',
    about:
      'Which part of the answers is stored in the corpus for history and searches: `all`, `no_contacts` (without contacts and texts) or `none`. npm start -- --offline stores none unless this is set.',
  })
  @IsIn(KEPT)
  keep: Kept = 'all';

  @Setting({ env: 'LOOKUP_BUDGET_MS', about: 'Time limit for one lookup, including all hops.' })
  @IsInt()
  @Min(1_000)
  @Max(25_000)
  budgetMs: number = 20_000;

  @Setting({
    env: 'LOOKUP_DNS_SERVERS',
    about:
      'Resolvers for DNS lookups, as address or address:port, separated by commas. Unset: the resolvers of the system. A validating resolver (such as Unbound) makes `authenticated_data` true.',
  })
  @IsString()
  dnsServers: string = '';

  @Setting({
    env: 'LOOKUP_DNS_ALLOWED',
    about:
      'Non-public suffixes and CIDR blocks for which DNS lookups are answered, separated by commas. Unset: only names under delegated top-level domains, and no private addresses.',
  })
  @IsString()
  dnsAllowed: string = '';

  @Setting({
    env: 'LOOKUP_DNS_REFUSED',
    about: 'Suffixes of your own network for which DNS lookups are refused, separated by commas.',
  })
  @IsString()
  dnsRefused: string = '';

  @Setting({
    env: 'LOOKUP_DNS_TIMEOUT_MS',
    about: 'Time limit for one DNS query with all its retries.',
  })
  @IsInt()
  @Min(100)
  @Max(25_000)
  dnsTimeoutMs: number = 8_000;

  @Setting({
    env: 'LOOKUP_UPSTREAM_PER_SECOND',
    about:
      'Queries per second to each registry or registrar that publishes no limit. Unset: 10 to a few large registries, 1 to all others.',
  })
  @IsOptional()
  @IsNumber()
  @Min(0.01)
  @Max(10_000)
  upstreamPerSecond?: number;

  @ValkeyUrl()
  valkeyUrl: string = '';

  @ValkeyTlsCa()
  valkeyTlsCa?: string;

  @ValkeyTimeout()
  valkeyTimeoutMs: number = 50;

  @Setting({
    env: 'LOOKUP_CACHE_ENTRIES',
    about:
      'Maximum number of cached answers about domains. The cache of numbers holds a quarter as many, the cache of DNS answers an eighth.',
  })
  @IsInt()
  @Min(0)
  @Max(5_000_000)
  cacheEntries: number = 50_000;

  @Setting({
    env: 'LOOKUP_CACHE_BYTES',
    about:
      'Maximum size of the cached answers about domains, in bytes. The cache of numbers has a quarter of this size, the cache of DNS answers an eighth.',
  })
  @IsInt()
  @Min(0)
  cacheBytes: number = 64 * 1024 * 1024;
}

/** Returns the entries of a setting that are separated by commas, without the spaces around them. */
export function listIn(setting: string): string[] {
  return setting
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}
