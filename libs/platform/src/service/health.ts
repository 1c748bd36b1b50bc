import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { Controller, Get, Injectable, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { AllowCallers } from '../internal-calls/internal-route.js';
import { declareGauge } from '../telemetry/metric-declarations.js';
import type { Metrics } from '../telemetry/metrics.js';

const READY = declareGauge(
  'dds_service_ready',
  'Whether a process of the service accepts requests (1) or not (0), as reported by its /ready. Missing if it is not running.',
  { labels: ['service'] },
);
/** The time limit of a check, after which it counts as failed. A scrape, which waits for the checks, may take 3 s. */
const CHECK_LIMIT_MS = 2_000;

/** A dependency of a process. `check` throws if it is unavailable. */
export interface HealthCheck {
  name: string;
  /**
   * True if the process can still answer without the dependency: a fault is named in `faults`, and the process stays in
   * service.
   */
  isOptional?: boolean;
  check(): Promise<void>;
}

export interface Readiness {
  isReady: boolean;
  faults: string[];
}

@Injectable()
export class Health {
  private readonly checks: HealthCheck[] = [];
  private draining = false;
  private running?: Promise<Readiness>;

  add(check: HealthCheck): void {
    this.checks.push(check);
  }

  /** Makes `/ready` answer 503 from now on, so that a balancer sends no new work. */
  drain(): void {
    this.draining = true;
  }

  /**
   * Returns whether requests should be sent here, and the names of unavailable dependencies; while draining, only
   * `draining`. Simultaneous calls share their checks, because strangers can also call this.
   */
  async readiness(): Promise<Readiness> {
    if (this.draining) return { isReady: false, faults: ['draining'] };
    this.running ??= this.check().finally(() => (this.running = undefined));
    return this.running;
  }

  private async check(): Promise<Readiness> {
    const timer = new AbortController();
    const late = sleep(CHECK_LIMIT_MS, undefined, { signal: timer.signal }).then(() => {
      throw new Error('late');
    });
    late.catch(() => {});
    const results = await Promise.all(
      this.checks.map(async (each) =>
        Promise.race([each.check(), late]).then(
          () => undefined,
          () => each,
        ),
      ),
    );
    timer.abort();
    const away = results.filter((each) => each !== undefined);
    return {
      isReady: away.every(({ isOptional }) => isOptional),
      faults: away.map(({ name }) => name),
    };
  }
}

export function addReadiness(metrics: Metrics, health: Health, service: string): void {
  metrics.addSource({
    name: 'readiness',
    read: async (take) => {
      // The pools are read first: a check is also a statement, and must not count as a waiting statement.
      await nextTurn();
      const { isReady } = await health.readiness();
      take(READY, isReady ? 1 : 0, { service });
    },
  });
}

@Controller()
@AllowCallers('anyone')
export class HealthController {
  constructor(private readonly health: Health) {}

  @Get('/health')
  alive(): { status: string } {
    return { status: 'ok' };
  }

  @Get('/ready')
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<object> {
    const { isReady, faults } = await this.health.readiness();
    if (!isReady) void reply.status(503);
    return { status: statusOf(isReady, faults), faults };
  }
}

function statusOf(isReady: boolean, faults: string[]): string {
  if (!isReady) return 'unavailable';
  return faults.length > 0 ? 'degraded' : 'ok';
}
