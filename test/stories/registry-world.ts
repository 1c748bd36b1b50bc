import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger, ServiceTokens, loadConfig } from '#libs/platform';
import { TestClock } from '#test/environment';
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
  /** The time limit of a whole lookup; by default 20 s, which is enough on a slow machine. */
  budgetMs?: number;
  secret?: string;
}

interface Source {
  id: string;
  protocol: string;
  role: string;
  outcome: string;
  error?: string;
}

/** A short time limit for registries that never answer. */
export const HURRIED: WorldOptions = { budgetMs: 1_500 };

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

export class RegistryWorld {
  readonly clock = new TestClock(START);
  readonly socketPath: string;
  private readonly folder = mkdtempSync(join(tmpdir(), 'lookup-'));
  private readonly simulator = new RegistrySimulator({ dripIntervalMs: DRIP_INTERVAL_MS });
  private stopLookup: () => Promise<void>;
  url: string;

  constructor(private readonly options: WorldOptions = {}) {
    this.socketPath = join(this.folder, 'socket');
  }

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

  /** Returns the queries that the registries received, about one name or about all, oldest first. */
  exchanges(domain?: string): LoggedExchange[] {
    const { exchanges } = this.simulator;
    return domain === undefined ? exchanges.entries : exchanges.of(domain);
  }

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
    return `Bearer ${new ServiceTokens(this.options.secret ?? SECRET, this.clock).issue('gateway', 'lookup')}`;
  }

  asked(domain: string): number {
    return this.exchanges(domain).length;
  }

  private settings({ upstreamExceptions, caFile }: SimulatedInternet): Record<string, string> {
    return {
      SERVICE_SECRET: this.options.secret ?? SECRET,
      LOOKUP_PORT: '0',
      LOOKUP_SOCKET: this.socketPath,
      LOOKUP_UPSTREAM_EXCEPTIONS: upstreamExceptions,
      LOOKUP_EXTRA_CA_FILE: caFile,
      LOOKUP_UPSTREAM_PER_SECOND: '1000',
      LOOKUP_BUDGET_MS: String(this.options.budgetMs ?? 20_000),
    };
  }
}
