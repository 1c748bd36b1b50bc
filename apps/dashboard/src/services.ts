import type { OnApplicationShutdown } from '@nestjs/common';
import { EntitlementClient, GatewayClient, ServiceHttp } from '#libs/contracts';
import type { ServiceTokens } from '#libs/platform';
import type { DashboardConfig } from './dashboard.config.js';

/** As long as a call that is passed on may take. */
const TIMEOUT_MS = 10_000;

/** The clients of the services that pages ask themselves; calls of browsers pass `ServiceProxies`. */
export class Services implements OnApplicationShutdown {
  readonly entitlement: EntitlementClient;
  readonly gateway: GatewayClient;
  private readonly connections: ServiceHttp[];

  constructor(
    { entitlementUrl, gatewayUrl }: Pick<DashboardConfig, 'entitlementUrl' | 'gatewayUrl'>,
    tokens: ServiceTokens,
  ) {
    const common = { caller: 'dashboard', tokens, timeoutMs: TIMEOUT_MS } as const;
    const entitlement = new ServiceHttp({
      ...common,
      url: entitlementUrl,
      audience: 'entitlement',
    });
    const gateway = new ServiceHttp({ ...common, url: gatewayUrl, audience: 'gateway' });
    this.connections = [entitlement, gateway];
    this.entitlement = new EntitlementClient(entitlement);
    this.gateway = new GatewayClient(gateway);
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.connections.map((connection) => connection.close()));
  }
}
