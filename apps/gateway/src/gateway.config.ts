import {
  IsBoolean,
  IsInt,
  IsOptional,
  IsString,
  IsUrl,
  Matches,
  Max,
  Min,
  MinLength,
} from 'class-validator';
import { ValkeyTimeout, ValkeyTlsCa, ValkeyUrl } from '#libs/counters';
import { IsAddressBlock } from '#libs/domain-names';
import { DatabaseConfig, DatabaseUrl } from '#libs/database';
import { HOUR_MS, PortSetting, ServiceUrls, Setting } from '#libs/platform';

const HTTP_URL = { require_tld: false, protocols: ['http', 'https'], require_protocol: true };

/** Without account, entitlement and lookup, a gateway cannot serve requests. */
@ServiceUrls('account', 'entitlement', 'lookup')
export class GatewayConfig extends DatabaseConfig {
  @Setting({ env: 'API_HOST', about: 'Address that the API listens on.' })
  @IsString()
  host: string = '127.0.0.1';

  @PortSetting({ env: 'API_PORT', about: 'Port of the API; 0 selects a free port.' })
  port: number = 8080;

  @Setting({ env: 'GATEWAY_INTERNAL_HOST', about: 'Address of the internal listener.' })
  @IsString()
  internalHost: string = '127.0.0.1';

  @PortSetting({
    env: 'GATEWAY_INTERNAL_PORT',
    about: 'Port of the internal listener; 0 selects a free port.',
  })
  internalPort: number = 7101;

  @Setting({ env: 'BASE_URL', about: 'Public origin of the API, without a slash at the end.' })
  @IsUrl(HTTP_URL)
  @Matches(/[^/]$/, { message: 'must not end in a slash' })
  baseUrl: string = 'http://localhost:8080';

  @Setting({
    env: 'BILLING_URL',
    about: 'Public origin of the dashboard, without a slash at the end.',
  })
  @IsUrl(HTTP_URL)
  @Matches(/[^/]$/, { message: 'must not end in a slash' })
  billingUrl: string = 'http://localhost:8081';

  accountUrl: string;
  entitlementUrl: string;
  lookupUrl: string;
  /** Without this address, answers contain no link to the page that sells credits. */
  billingInternalUrl?: string;

  @Setting({
    env: 'LOOKUP_SOCKET',
    about: 'Unix socket of lookup, if it runs on the same machine; used instead of LOOKUP_URL.',
  })
  @IsOptional()
  @IsString()
  lookupSocket?: string;

  @DatabaseUrl('GATEWAY_DATABASE_URL', 'gateway')
  databaseUrl: string;

  @DatabaseUrl('GATEWAY_MAINTENANCE_DATABASE_URL', 'gateway_maintenance')
  maintenanceDatabaseUrl: string;

  @DatabaseUrl(
    'GATEWAY_AUDITOR_DATABASE_URL',
    'gateway_auditor',
    'which can read everything and write nothing',
  )
  auditorDatabaseUrl: string;

  @Setting({
    env: 'KEY_PEPPER',
    about: 'Secret for hashing API keys; must be the same for account and gateway.',
    secret: true,
    generated: true,
  })
  @MinLength(32)
  keyPepper: string;

  @Setting({
    env: 'GATEWAY_JOURNAL',
    about:
      'File with the charges that are not settled yet, so that a killed process loses none of them.',
  })
  @IsString()
  journalPath: string = '.data/gateway-leases.journal';

  @Setting({
    env: 'GATEWAY_REUSE_PORT',
    about:
      'Lets several gateways on one machine listen on the same public port; the system distributes connections (SO_REUSEPORT, Linux). Each needs its own journal and internal port, and VALKEY_URL.',
  })
  @IsBoolean()
  reusePort: boolean = false;

  @Setting({
    env: 'GATEWAY_PLAIN_CONNECTIONS',
    about:
      "Whether plain GET requests are read and answered without Node's HTTP server (decision 0016). false: Node's server handles every request, at a higher CPU cost.",
  })
  @IsBoolean()
  plainConnections: boolean = true;

  @Setting({
    env: 'GATEWAY_SIMULATED_DATA',
    about:
      'Adds the header X-Simulated-Data to every answer of lookups, searches, jobs, monitors and files, so that customers recognise simulated data. Set it if lookups go to the registry simulator; npm start -- --offline does so.',
  })
  @IsBoolean()
  isDataSimulated: boolean = false;

  @Setting({
    env: 'GATEWAY_INVENTED_NAMES',
    about:
      'Adds X-Simulated-Data to history and searches only, because the corpus contains invented names. npm start sets it for a data folder that was used with --offline before.',
  })
  @IsBoolean()
  isCorpusInvented: boolean = false;

  @ValkeyUrl()
  valkeyUrl: string = '';

  @ValkeyTlsCa()
  valkeyTlsCa?: string;

  @ValkeyTimeout()
  valkeyTimeoutMs: number = 50;

  @Setting({
    env: 'GATEWAY_TRUSTED_PROXIES',
    about: 'Addresses or CIDR blocks of proxies whose X-Forwarded-For is trusted.',
  })
  @IsAddressBlock({ each: true })
  trustedProxies: string[] = [];

  @Setting({
    env: 'GATEWAY_IN_FLIGHT_MAX',
    about: 'Maximum number of concurrent requests. Requests above it get 503.',
  })
  @IsInt()
  @Min(1)
  inFlightMax: number = 2_000;

  @Setting({
    env: 'GATEWAY_LOOP_DELAY_MAX_MS',
    about:
      'Event-loop delay (99th percentile of each second). If two seconds in a row exceed it, requests get 503.',
  })
  @IsInt()
  @Min(10)
  loopDelayMaxMs: number = 150;

  @Setting({
    env: 'GATEWAY_CONNECTIONS_MAX',
    about:
      'Maximum number of open connections, at which those that have been idle longest are closed.',
  })
  @IsInt()
  @Min(1)
  connectionsMax: number = 12_000;

  @Setting({
    env: 'GATEWAY_PEER_CONNECTIONS_MAX',
    about:
      'Maximum number of open connections per IP address (IPv6: /64; a /48 has four times as many), except trusted proxies. At the maximum, a new connection closes the one that has been idle longest. An address (IPv6: /48) may open four times as many connections per second; further ones are closed at once.',
  })
  @IsInt()
  @Min(1)
  peerConnectionsMax: number = 256;

  @Setting({
    env: 'GATEWAY_FAILED_KEYS_MAX',
    about:
      'Maximum number of invalid keys per IP address and minute. Further requests from that address get 429.',
  })
  @IsInt()
  @Min(1)
  failedKeysMax: number = 60;

  @Setting({
    env: 'GATEWAY_REFUSAL_DELAY_MS',
    about:
      'How long each further 429 answer waits after ten to the same account, or without a key to the same network, in one second.',
  })
  @IsInt()
  @Min(0)
  @Max(HOUR_MS)
  refusalDelayMs: number = 200;

  @Setting({
    env: 'GATEWAY_LOOKUP_TIMEOUT_MS',
    about:
      'Time limit for an answer from lookup, and the maximum for all other operations, except free ones with a limit of their own. At most 30,000, because a lease of credits must outlast the request.',
  })
  @IsInt()
  @Min(100)
  @Max(30_000)
  lookupTimeoutMs: number = 22_000;

  @Setting({
    env: 'GATEWAY_SERVICES_TIMEOUT_MS',
    about: 'Time limit for an answer from account or entitlement. A lookup waits for these calls.',
  })
  @IsInt()
  @Min(100)
  servicesTimeoutMs: number = 1_500;

  @Setting({
    env: 'GATEWAY_TRANSFER_IDLE_MS',
    about: 'How long an upload or a download may be idle before it is ended.',
  })
  @IsInt()
  @Min(100)
  transferIdleMs: number = 30_000;

  @Setting({
    env: 'GATEWAY_HEADERS_TIMEOUT_MS',
    about: 'Time limit for receiving the headers of a request, and for the JSON body after them.',
  })
  @IsInt()
  @Min(100)
  headersTimeoutMs: number = 10_000;

  @Setting({ env: 'GATEWAY_KEEP_ALIVE_MS', about: 'How long an idle connection stays open.' })
  @IsInt()
  @Min(100)
  keepAliveTimeoutMs: number = 72_000;

  @Setting({
    env: 'GATEWAY_DRAIN_NOTICE_MS',
    about:
      'During a shutdown: how long answers carry "Connection: close" before the listener closes.',
  })
  @IsInt()
  @Min(0)
  drainNoticeMs: number = 5_000;

  @Setting({
    env: 'GATEWAY_DRAIN_MS',
    about: 'During a shutdown: how long running requests may take.',
  })
  @IsInt()
  @Min(0)
  drainMs: number = 25_000;
}
