import type { OnApplicationShutdown } from '@nestjs/common';
import {
  EntitlementClient,
  GatewayClient,
  type ServiceCall,
  ServiceHttp,
  type ServiceHttpOptions,
} from '#libs/contracts';
import type { ServiceTokens } from '#libs/platform';
import type { DashboardConfig } from './dashboard.config.js';
import type { DashboardMetrics } from './telemetry/dashboard-metrics.js';

const TIMEOUT_MS = 10_000;

/** The clients of entitlement and the gateway. All other calls go through `ServiceProxies`. */
export class Services implements OnApplicationShutdown {
  readonly entitlement: EntitlementClient;
  readonly gateway: GatewayClient;
  private readonly connections: ServiceHttp[];

  constructor(
    { entitlementUrl, gatewayUrl }: Pick<DashboardConfig, 'entitlementUrl' | 'gatewayUrl'>,
    tokens: ServiceTokens,
    metrics: DashboardMetrics,
  ) {
    const common = { caller: 'dashboard', tokens, timeoutMs: TIMEOUT_MS } as const;
    const open = (url: string, audience: 'entitlement' | 'gateway') =>
      new CountedHttp({ ...common, url, audience }, metrics);
    const entitlement = open(entitlementUrl, 'entitlement');
    const gateway = open(gatewayUrl, 'gateway');
    this.connections = [entitlement, gateway];
    this.entitlement = new EntitlementClient(entitlement);
    this.gateway = new GatewayClient(gateway);
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.connections.map((connection) => connection.close()));
  }
}

class CountedHttp extends ServiceHttp {
  constructor(
    private readonly to: ServiceHttpOptions,
    private readonly metrics: DashboardMetrics,
  ) {
    super(to);
  }

  override call<T>(...call: [CallMethod, string, ServiceCall?]): Promise<T> {
    return this.metrics.callOf(this.to.audience, () => super.call<T>(...call));
  }
}

type CallMethod = Parameters<ServiceHttp['call']>[0];
