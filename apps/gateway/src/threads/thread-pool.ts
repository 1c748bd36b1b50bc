import { createSharedCounters } from '#libs/counters';
import type { EventsConfig } from '#libs/messaging';
import {
  type Clock,
  Health,
  type Logger,
  type RunningService,
  SECOND_MS,
  ServiceModule,
  startService,
} from '#libs/platform';
import type { GatewayConfig } from '../gateway.config.js';
import { OPTIONAL_PARTS } from '../start.js';
import { probePort } from './port-probe.js';
import { RunningThread } from './running-thread.js';
import { ThreadMetrics } from './thread-metrics.js';

export interface ThreadPoolOptions {
  config: GatewayConfig;
  events: EventsConfig;
  clock: Clock;
  logger: Logger;
  /** A thread has ended or cannot go on; called once. `stop` throws it afterwards. */
  onDeath(error: Error): void;
}

/** On top of the notice and the requests under way: leases, log, consumers, database. */
const CLOSE_TIMEOUT_MS = 10 * SECOND_MS;

/**
 * The gateways of a process with several threads, and the internal listener that answers for all of them.
 * A thread that dies takes the process with it, drained and with an exit code: it died of a fault or for
 * want of memory, the others share its memory, and whoever supervises the process starts it whole again.
 */
export class ThreadPool {
  private threads: RunningThread[] = [];
  private service: RunningService;
  private death?: Error;
  private isStopping = false;

  constructor(private readonly options: ThreadPoolOptions) {}

  /** @throws when a port is taken or a thread cannot start; nothing is left running then. */
  async start(): Promise<void> {
    const { config, events } = this.options;
    const port = await probePort(config.host, config.port, 'GATEWAY_PORT');
    const dashboardPort = await probePort(
      config.dashboardHost,
      config.dashboardPort,
      'DASHBOARD_PORT',
    );
    const counters = createSharedCounters();
    this.threads = Array.from({ length: config.threads }, (_, place) => {
      const share = { counters, number: place + 1 };
      const own = { ...threadConfig(config, place + 1), port, dashboardPort };
      return new RunningThread({ config: own, events, share }, (error) => this.died(error));
    });
    try {
      await Promise.all(this.threads.map(async (thread) => thread.started()));
      this.service = await this.startService();
    } catch (error) {
      this.isStopping = true;
      await this.drainThreads().catch(() => {});
      throw error;
    }
  }

  get addresses(): { url: string; apiUrl: string; dashboardUrl: string } {
    const [{ apiUrl, dashboardUrl }] = this.threads;
    return { url: this.service.url, apiUrl, dashboardUrl };
  }

  /** Drains all threads at once. @throws what a thread died of, or that it could not be drained. */
  async stop(): Promise<void> {
    this.isStopping = true;
    this.service.app.get(Health, { strict: false }).drain();
    try {
      await this.drainThreads();
    } finally {
      await this.service.stop();
    }
    if (this.death) throw this.death;
  }

  private async startService(): Promise<RunningService> {
    const { config, clock, logger } = this.options;
    const metrics = new ThreadMetrics(this.threads);
    const service = await startService({
      module: ServiceModule.register({ name: 'gateway', clock, logger, secret: config, metrics }),
      logger,
      host: config.internalHost,
      port: config.internalPort,
    });
    this.watch(service.app.get(Health, { strict: false }));
    return service;
  }

  /** Not ready while a thread is not; what a thread can do without is named as it is by one gateway. */
  private watch(health: Health): void {
    for (const thread of this.threads) {
      const check = async () => {
        if (!(await thread.readiness()).isReady) throw new Error('not ready');
      };
      health.add({ name: `thread ${thread.number}`, check });
    }
    for (const name of OPTIONAL_PARTS) {
      const check = async () => {
        const all = await Promise.all(this.threads.map(async (thread) => thread.readiness()));
        if (all.some(({ faults }) => faults.includes(name))) throw new Error('away');
      };
      health.add({ name, isOptional: true, check });
    }
  }

  private async drainThreads(): Promise<void> {
    const { drainNoticeMs, drainMs } = this.options.config;
    const timeoutMs = drainNoticeMs + drainMs + CLOSE_TIMEOUT_MS;
    const drained = await Promise.allSettled(
      this.threads.map(async (thread) =>
        thread.ask('drain', timeoutMs).finally(async () => thread.close()),
      ),
    );
    const failed = drained.find((answer) => answer.status === 'rejected');
    if (failed && !this.death) throw failed.reason as Error;
  }

  private died(error: Error): void {
    if (this.isStopping || this.death) return;
    this.death = error;
    // Not before all have begun: `start` says what keeps one from it.
    if (this.service) this.options.onDeath(error);
  }
}

/** The settings of one thread: a gateway of its own, with its part of what one process may have. */
export function threadConfig(config: GatewayConfig, number: number): GatewayConfig {
  const part = (whole: number) => Math.ceil(whole / config.threads);
  return {
    ...config,
    internalHost: '127.0.0.1',
    internalPort: 0,
    journalPath: threadJournal(config.journalPath, number),
    connectionsMax: part(config.connectionsMax),
    // Each thread knows its own failures only: together they take no more than one process would.
    failedKeysMax: part(config.failedKeysMax),
  };
}

/** Where a thread notes what it has charged. */
export function threadJournal(path: string, number: number): string {
  return `${path}.${number}`;
}
