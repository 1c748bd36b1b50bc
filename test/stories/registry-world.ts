import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, Logger, ServiceTokens, loadConfig } from '#libs/platform';
import { FileClock, TestClock, fileClockSettings } from '#test/environment';
import { ServiceProcess } from '../../apps/cluster/src/processes/service-process.js';
import { LookupConfig } from '../../apps/lookup/src/lookup.config.js';
import { startLookup } from '../../apps/lookup/src/start.js';
import type { LoggedExchange } from '../../apps/simulators/src/registry/exchange-log.js';
import {
  RegistrySimulator,
  type SimulatedInternet,
} from '../../apps/simulators/src/registry/registry-simulator.js';

const SECRET = 'a secret between services, long enough';
const START = '2026-11-20T11:42:03Z';
const DRIP_INTERVAL_MS = 20;

export interface WorldOptions {
  /** Time for a whole lookup. Long, so that a slow machine answers; short for what never does. */
  budgetMs?: number;
}

interface Source {
  id: string;
  protocol: string;
  role: string;
  outcome: string;
  error?: string;
}

/** For registries that never answer: what is waited for in vain. */
export const HURRIED: WorldOptions = { budgetMs: 1_500 };

/** A live answer or a problem. */
export interface Body {
  [member: string]: unknown;
  code?: string;
  name_servers?: string[];
  domain_registrar?: Record<string, string>;
  registrant_contact?: Record<string, string>;
  provenance?: {
    served_from: string;
    sources: Source[];
    conflicts: { path: string }[];
    age_s: number;
  };
}

/** A lookup service whose internet is a simulator, over real sockets on both sides. */
export abstract class RegistryWorld {
  abstract readonly clock: Clock & { advance(ms: number): void };
  /** Where the service listens besides TCP. */
  readonly socketPath: string;
  protected readonly folder = mkdtempSync(join(tmpdir(), 'lookup-'));
  protected url: string;

  constructor(private readonly options: WorldOptions = {}) {
    this.socketPath = join(this.folder, 'socket');
  }

  abstract start(): Promise<void>;

  /** Ends the service in order, and the simulator. */
  abstract stop(): Promise<void>;

  /** No registry answers from here on. */
  abstract silence(): Promise<void>;

  /** What the registries were asked, about one name or about all, oldest first. */
  abstract exchanges(domain?: string): Promise<LoggedExchange[]>;

  async ask(
    domainName: string,
    query: Record<string, string> = {},
    headers: Record<string, string> = {},
  ) {
    const { authorization } = this;
    const parameters = new URLSearchParams({ domainName, ...query });
    const response = await fetch(`${this.url}/internal/whois/live?${parameters}`, {
      headers: { authorization, ...headers },
    });
    const header = (name: string) => response.headers.get(name);
    return { status: response.status, header, body: (await response.json()) as Body };
  }

  get authorization(): string {
    return `Bearer ${new ServiceTokens(SECRET, this.clock).issue('gateway', 'lookup')}`;
  }

  /** How often the simulator was asked about a name. */
  async asked(domain: string): Promise<number> {
    return (await this.exchanges(domain)).length;
  }

  protected settings({ upstreamExceptions, caFile }: SimulatedInternet): Record<string, string> {
    return {
      SERVICE_SECRET: SECRET,
      LOOKUP_PORT: '0',
      LOOKUP_SOCKET: this.socketPath,
      LOOKUP_UPSTREAM_EXCEPTIONS: upstreamExceptions,
      LOOKUP_EXTRA_CA_FILE: caFile,
      LOOKUP_UPSTREAM_PER_SECOND: '1000',
      LOOKUP_BUDGET_MS: String(this.options.budgetMs ?? 20_000),
    };
  }
}

/** Both in this process. */
export class OneProcessWorld extends RegistryWorld {
  readonly clock = new TestClock(START);
  private readonly simulator = new RegistrySimulator({ dripIntervalMs: DRIP_INTERVAL_MS });
  private stopLookup: () => Promise<void>;

  async start(): Promise<void> {
    const config = loadConfig(LookupConfig, this.settings(await this.simulator.start()));
    const logger = new Logger('lookup', { write: () => undefined });
    const { url, stop } = await startLookup({ config, clock: this.clock, logger });
    [this.url, this.stopLookup] = [url, stop];
  }

  async stop(): Promise<void> {
    await this.stopLookup();
    await this.simulator.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  silence(): Promise<void> {
    return this.simulator.stop();
  }

  async exchanges(domain?: string): Promise<LoggedExchange[]> {
    const { exchanges } = this.simulator;
    return domain === undefined ? exchanges.entries : exchanges.of(domain);
  }
}

/** A process for each, as on many machines. */
export class SplitWorld extends RegistryWorld {
  readonly clock: FileClock;
  private readonly clockFile: string;
  private readonly simulators: ServiceProcess;
  private lookup: ServiceProcess;

  constructor(options?: WorldOptions) {
    super(options);
    this.clockFile = join(this.folder, 'clock');
    this.clock = FileClock.create(this.clockFile, START);
    const settings = { SIMULATORS_DRIP_INTERVAL_MS: String(DRIP_INTERVAL_MS) };
    this.simulators = this.process('simulators', settings);
  }

  async start(): Promise<void> {
    await this.simulators.start();
    const internet = this.simulators.addresses as unknown as SimulatedInternet;
    const settings = { ...this.settings(internet), ...fileClockSettings(this.clockFile) };
    this.lookup = this.process('lookup', settings);
    await this.lookup.start();
    this.url = this.lookup.url;
  }

  async stop(): Promise<void> {
    await this.lookup.stop();
    await this.simulators.stop();
    this.clock.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  silence(): Promise<void> {
    return this.simulators.stop();
  }

  async exchanges(domain?: string): Promise<LoggedExchange[]> {
    const query = domain === undefined ? '' : `?domain=${domain}`;
    const response = await fetch(`${this.simulators.url}/exchanges${query}`);
    return (await response.json()) as LoggedExchange[];
  }

  private process(app: string, settings: Record<string, string>): ServiceProcess {
    const compiled = { NODE_COMPILE_CACHE: join(tmpdir(), 'story-compiled') };
    const logFile = join(this.folder, `${app}.log`);
    return new ServiceProcess({ name: app, app, settings: { ...compiled, ...settings }, logFile });
  }
}

export type NewWorld = new (options?: WorldOptions) => RegistryWorld;
