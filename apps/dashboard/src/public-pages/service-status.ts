import { Injectable } from '@nestjs/common';
import type { Clock, InternalTls, ServiceName, ServiceOrigins } from '#libs/platform';
import { readinessOf } from './readiness.js';

/** Lookup's name for the registries and resolvers that it queries; it is degraded when none can be reached. */
const UPSTREAMS = 'upstreams';

/** The public name of a part, and the services that it needs. */
const PARTS: readonly (readonly [
  part: string,
  needs: readonly (ServiceName | typeof UPSTREAMS)[],
])[] = [
  ['Sign-up, log-in and keys', ['account']],
  ['Live lookups by the API', ['gateway', 'account', 'entitlement', 'lookup', UPSTREAMS]],
  ['History, searches and subdomains', ['gateway', 'account', 'entitlement', 'corpus']],
  ['Jobs, monitors, database files and webhooks', ['worker']],
  ['Credits, plans and invoices', ['billing', 'entitlement']],
];

/** The services are called only once in this interval, however many people visit the public page. */
const KEPT_MS = 5_000;

export interface PartStatus {
  part: string;
  isUp: boolean;
}

export interface Status {
  /** The time at which the services were called. */
  askedAt: Date;
  /** Whether lookup's last queries to registries and resolvers failed to reach any of them. */
  isCutOff: boolean;
  parts: readonly PartStatus[];
}

/** The current state of each part of the service, by its own probe. */
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
        // The gateway knows about services that the dashboard itself does not call.
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
