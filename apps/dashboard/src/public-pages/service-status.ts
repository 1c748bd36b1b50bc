import { Injectable } from '@nestjs/common';
import type { Clock, InternalTls, ServiceName, ServiceOrigins } from '#libs/platform';
import { readinessOf } from './readiness.js';

/**
 * Lookup's name for the registries and resolvers that it queries; lookup reports it as a fault if none of them can be
 * reached.
 */
const UPSTREAMS = 'upstreams';

const PARTS: readonly (readonly [
  part: string,
  needs: readonly (ServiceName | typeof UPSTREAMS)[],
])[] = [
  ['Sign-up, log-in and keys', ['account']],
  ['Live lookups through the API', ['gateway', 'account', 'entitlement', 'lookup', UPSTREAMS]],
  ['History, searches and subdomains', ['gateway', 'account', 'entitlement', 'corpus']],
  ['Jobs and monitors', ['worker', 'entitlement', 'lookup', UPSTREAMS]],
  ['Database files and webhooks', ['worker']],
  ['Credits, plans and invoices', ['billing', 'entitlement']],
];

const KEPT_MS = 5_000;

export interface PartStatus {
  part: string;
  isUp: boolean;
}

export interface Status {
  askedAt: Date;
  /** Whether all of lookup's last queries to registries and resolvers failed to reach them. */
  isCutOff: boolean;
  parts: readonly PartStatus[];
}

@Injectable()
export class ServiceStatus {
  private kept: { until: number; status: Promise<Status> } | undefined;

  constructor(
    private readonly origins: ServiceOrigins,
    private readonly clock: Clock,
    private readonly tls?: InternalTls,
  ) {}

  async now(): Promise<Status> {
    const now = this.clock.now();
    if (!this.kept || this.kept.until <= now.getTime()) {
      this.kept = { until: now.getTime() + KEPT_MS, status: this.ask(now) };
    }
    return this.kept.status;
  }

  private async ask(askedAt: Date): Promise<Status> {
    const away = new Set<string>();
    const asked = Object.entries(this.origins) as [ServiceName, string][];
    await Promise.all(
      asked.map(async ([name, url]) => {
        const { isReady, faults } = await readinessOf(name, url, this.tls);
        if (!isReady) away.add(name);
        // The gateway also reports services that the dashboard does not call.
        for (const fault of faults) if (!(fault in this.origins)) away.add(fault);
      }),
    );
    const parts = PARTS.map(([part, needs]) => ({
      part,
      isUp: !needs.some((name) => away.has(name)),
    }));
    return { askedAt, isCutOff: away.has(UPSTREAMS), parts };
  }
}
