import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { loadConfig, Logger, type RunningService, ServiceTokens } from '#libs/platform';
import { TestClock } from '#libs/testing';
import { LookupConfig } from '../../apps/lookup/src/lookup.config.js';
import { startLookup } from '../../apps/lookup/src/start-lookup.js';
import { RegistrySimulator } from '../../apps/simulators/src/registry/registry-simulator.js';

const SECRET = 'a secret between services, long enough';

interface Source {
  id: string;
  protocol: string;
  role: string;
  outcome: string;
  error?: string;
}

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
export class RegistryWorld {
  readonly clock = new TestClock('2026-11-20T11:42:03Z');
  simulator: RegistrySimulator;
  /** Where the service listens besides TCP. */
  socketPath: string;
  private readonly tokens = new ServiceTokens(SECRET, this.clock);
  private service: RunningService;

  async start(): Promise<void> {
    this.simulator = new RegistrySimulator({ dripIntervalMs: 20 });
    const { upstreamExceptions, caFile } = await this.simulator.start();
    this.socketPath = join(await mkdtemp(join(tmpdir(), 'lookup-')), 'socket');
    const config = loadConfig(LookupConfig, {
      SERVICE_SECRET: SECRET,
      LOOKUP_PORT: '0',
      LOOKUP_SOCKET: this.socketPath,
      LOOKUP_UPSTREAM_EXCEPTIONS: upstreamExceptions,
      LOOKUP_EXTRA_CA_FILE: caFile,
      LOOKUP_UPSTREAM_PER_SECOND: '1000',
      LOOKUP_BUDGET_MS: '1500',
    });
    const logger = new Logger('lookup', { write: () => undefined });
    this.service = await startLookup({ config, clock: this.clock, logger });
  }

  async stop(): Promise<void> {
    await this.service.stop();
    await this.simulator.stop();
    await rm(dirname(this.socketPath), { recursive: true, force: true });
  }

  async ask(
    domainName: string,
    query: Record<string, string> = {},
    headers: Record<string, string> = {},
  ) {
    const authorization = this.authorization;
    const parameters = new URLSearchParams({ domainName, ...query });
    const response = await fetch(`${this.service.url}/internal/whois/live?${parameters}`, {
      headers: { authorization, ...headers },
    });
    const header = (name: string) => response.headers.get(name);
    return { status: response.status, header, body: (await response.json()) as Body };
  }

  get authorization(): string {
    return `Bearer ${this.tokens.issue('gateway', 'lookup')}`;
  }

  /** How often the simulator was asked about a name. */
  asked(domain: string): number {
    return this.simulator.exchanges.of(domain).length;
  }
}
