import type { OnApplicationShutdown } from '@nestjs/common';
import type { OwnerService } from '#libs/contracts';
import { type ServiceOrigins, type ServiceTokens, ServiceUnavailable } from '#libs/platform';
import type { DashboardMetrics } from '../telemetry/dashboard-metrics.js';
import { ServiceProxy } from './service-proxy.js';

export class ServiceProxies implements OnApplicationShutdown {
  private readonly proxies: ReadonlyMap<OwnerService, ServiceProxy>;

  constructor(origins: ServiceOrigins, tokens: ServiceTokens, metrics?: DashboardMetrics) {
    const known = Object.entries(origins) as [OwnerService, string][];
    this.proxies = new Map(
      known.map(([service, url]) => [service, new ServiceProxy({ service, url, tokens, metrics })]),
    );
  }

  /** Returns the proxy of a service. @throws ServiceUnavailable if the installation lacks the service. */
  of(service: OwnerService): ServiceProxy {
    const proxy = this.proxies.get(service);
    if (!proxy) throw new ServiceUnavailable(service);
    return proxy;
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([...this.proxies.values()].map((proxy) => proxy.close()));
  }
}
