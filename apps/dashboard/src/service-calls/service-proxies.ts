import type { OnApplicationShutdown } from '@nestjs/common';
import type { OwnerService } from '#libs/contracts';
import {
  CallPace,
  SECOND_MS,
  type ServiceOrigins,
  type ServiceTokens,
  ServiceUnavailable,
} from '#libs/platform';
import type { DashboardMetrics } from '../telemetry/dashboard-metrics.js';
import { ServiceProxy } from './service-proxy.js';

/**
 * How many calls of an account may change or start something: some at once, and later ones as often as with a key. A
 * few accounts that repeat expensive calls, such as starts of jobs that fail, would otherwise delay everybody (S102).
 */
const CHANGES = { burst: 120, everyMs: SECOND_MS };

export class ServiceProxies implements OnApplicationShutdown {
  private readonly proxies: ReadonlyMap<OwnerService, ServiceProxy>;

  constructor(origins: ServiceOrigins, tokens: ServiceTokens, metrics?: DashboardMetrics) {
    const known = Object.entries(origins) as [OwnerService, string][];
    const common = { tokens, metrics, changes: new CallPace(CHANGES) };
    this.proxies = new Map(
      known.map(([service, url]) => [service, new ServiceProxy({ service, url, ...common })]),
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
