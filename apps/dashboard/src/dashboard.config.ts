import { IsBoolean, IsInt, IsOptional, IsString, IsUrl, Matches, Min } from 'class-validator';
import { IsAddressBlock } from '#libs/domain-names';
import { ContactAddress } from '#libs/mail';
import { InternalCallsConfig, PortSetting, ServiceUrls, Setting } from '#libs/platform';

const HTTP_URL = { require_tld: false, protocols: ['http', 'https'], require_protocol: true };

/** Pages need account for sessions, entitlement for credits, and the gateway for the request log. */
@ServiceUrls('account', 'entitlement', 'gateway')
export class DashboardConfig extends InternalCallsConfig {
  @Setting({ env: 'DASHBOARD_HOST', about: 'Address that the dashboard listens on.' })
  @IsString()
  host: string = '127.0.0.1';

  @PortSetting({ env: 'DASHBOARD_PORT', about: 'Port of the dashboard; 0 selects a free port.' })
  port: number = 8081;

  @Setting({
    env: 'DASHBOARD_INTERNAL_HOST',
    about: 'Address that the listener for probes listens on.',
  })
  @IsString()
  internalHost: string = '127.0.0.1';

  @PortSetting({ env: 'DASHBOARD_INTERNAL_PORT', about: 'Port of the listener for probes.' })
  internalPort: number = 7102;

  @Setting({
    env: 'BILLING_URL',
    about: 'Public origin of the dashboard, without a slash at the end.',
  })
  @IsUrl(HTTP_URL)
  @Matches(/[^/]$/, { message: 'must not end in a slash' })
  billingUrl: string = 'http://localhost:8081';

  @Setting({ env: 'BASE_URL', about: 'Public origin of the API, without a slash at the end.' })
  @IsUrl(HTTP_URL)
  @Matches(/[^/]$/, { message: 'must not end in a slash' })
  baseUrl: string = 'http://localhost:8080';

  accountUrl: string;
  entitlementUrl: string;
  /** The address of any gateway; all gateways write to the same request log. */
  gatewayUrl: string;

  @Setting({
    env: 'DASHBOARD_REUSE_PORT',
    about:
      'Lets several dashboards on one machine listen on the same public port; the system distributes connections (SO_REUSEPORT, Linux). Each needs its own internal port.',
  })
  @IsBoolean()
  reusePort: boolean = false;

  @Setting({
    env: 'DASHBOARD_SIMULATED_DATA',
    about:
      'Marks the data on every page as simulated. Set it together with GATEWAY_SIMULATED_DATA if lookups go to the registry simulator; npm start -- --offline does so.',
  })
  @IsBoolean()
  isDataSimulated: boolean = false;

  @Setting({
    env: 'DASHBOARD_TEXTS_FOLDER',
    about:
      'Folder with terms.md, privacy.md and contact.md (Markdown), shown instead of the built-in texts.',
  })
  @IsOptional()
  @IsString()
  textsFolder?: string;

  @ContactAddress()
  contactAddress?: string;

  @Setting({
    env: 'DASHBOARD_TRUSTED_PROXIES',
    about: 'Addresses or CIDR blocks of proxies whose X-Forwarded-For is trusted.',
  })
  @IsAddressBlock({ each: true })
  trustedProxies: string[] = [];

  @Setting({
    env: 'DASHBOARD_CONNECTIONS_MAX',
    about:
      'Maximum number of open connections, at which those that have been idle longest are closed.',
  })
  @IsInt()
  @Min(1)
  connectionsMax: number = 2_000;

  @Setting({
    env: 'DASHBOARD_PEER_CONNECTIONS_MAX',
    about:
      'Maximum number of open connections per IP address (IPv6: /64; a /48 has four times as many), except trusted proxies. At the maximum, a new connection closes the one that has been idle longest. An address (IPv6: /48) may open four times as many connections per second; further ones are closed at once.',
  })
  @IsInt()
  @Min(1)
  peerConnectionsMax: number = 100;

  @Setting({
    env: 'DASHBOARD_CALLS_AT_ONCE',
    about:
      'Maximum number of pages and calls of logged-in visitors that the dashboard works on at once. Increase it if the other services are on other machines: pages then mostly wait for the network.',
  })
  @IsInt()
  @Min(1)
  callsAtOnce: number = 2;

  @Setting({
    env: 'DASHBOARD_DRAIN_NOTICE_MS',
    about:
      'During a shutdown: how long the service reports "not ready" before the listener closes.',
  })
  @IsInt()
  @Min(0)
  drainNoticeMs: number = 5_000;
}
