import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Operation } from '#libs/contracts';
import { type EventTransport, InProcessTransport } from '#libs/messaging';
import { type Clock, Logger, SystemClock, loadConfig } from '#libs/platform';
import type { TestDatabase } from '#test/environment';
import { GatewayConfig } from '../../apps/gateway/src/gateway.config.js';
import { type RunningGateway, startGateway } from '../../apps/gateway/src/start.js';
import { AccountStandIn } from './account-stand-in.js';
import { EntitlementStandIn } from './entitlement-stand-in.js';
import { HARNESS_SECRET } from './harness-secret.js';
import { LookupStandIn } from './lookup-stand-in.js';

export class GatewayHarness {
  readonly account = new AccountStandIn(HARNESS_SECRET);
  readonly entitlement = new EntitlementStandIn();
  readonly lookup = new LookupStandIn();
  readonly folder = mkdtempSync(join(tmpdir(), 'gateway-'));
  logged = '';
  /** If set, the gateways that are started next serve these operations instead of the product's. */
  operations?: readonly Operation[];
  /** The transport through which the newest gateway receives events. */
  transport: InProcessTransport;
  private readonly running = new Set<RunningGateway>();

  constructor(private readonly database: TestDatabase) {}

  async start(): Promise<void> {
    await Promise.all([this.account.start(), this.entitlement.start(), this.lookup.start()]);
  }

  async stop(): Promise<void> {
    await Promise.all([...this.running].map((gateway) => this.stopGateway(gateway)));
    await Promise.all([this.account.stop(), this.entitlement.stop(), this.lookup.stop()]);
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Returns the environment of a gateway in this harness. It can also be used for a gateway in a separate process. */
  environment(journal = 'leases.journal'): Record<string, string> {
    return {
      API_PORT: '0',
      GATEWAY_INTERNAL_PORT: '0',
      BASE_URL: 'https://api.example.test',
      BILLING_URL: 'https://billing.example.test',
      ACCOUNT_URL: this.account.url,
      ENTITLEMENT_URL: this.entitlement.url,
      LOOKUP_URL: this.lookup.url,
      GATEWAY_DATABASE_URL: this.database.url('gateway'),
      GATEWAY_MAINTENANCE_DATABASE_URL: this.database.url('gateway_maintenance'),
      GATEWAY_AUDITOR_DATABASE_URL: this.database.url('gateway_auditor'),
      SERVICE_SECRET: HARNESS_SECRET,
      KEY_PEPPER: HARNESS_SECRET,
      GATEWAY_JOURNAL: join(this.folder, journal),
      // A busy machine delays the event loop, but most tests are not about load shedding.
      GATEWAY_LOOP_DELAY_MAX_MS: '60000',
      // Time limits are long, because the services share this process and stall when it stalls.
      GATEWAY_SERVICES_TIMEOUT_MS: '30000',
      // Most tests that reach a limit do not wait for further answers.
      GATEWAY_REFUSAL_DELAY_MS: '0',
      // All customers of a test share this machine's address.
      GATEWAY_PEER_CONNECTIONS_MAX: '12000',
      GATEWAY_DRAIN_NOTICE_MS: '0',
      GATEWAY_DRAIN_MS: '2000',
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE!,
    };
  }

  /** Starts a gateway in this process. `settings` are environment variables, and `events` replaces the transport. */
  async startGateway(
    settings: Record<string, string> = {},
    clock: Clock = new SystemClock(),
    events?: EventTransport,
  ): Promise<RunningGateway> {
    const config = loadConfig(GatewayConfig, { ...this.environment(), ...settings });
    const logger = new Logger('gateway', { write: (line) => void (this.logged += line) });
    const transport = (this.transport = new InProcessTransport({
      logger,
      consumers: { account: ['gateway'] },
    }));
    const { operations } = this;
    const gateway = await startGateway({
      config,
      clock,
      logger,
      transport: events ?? transport,
      operations,
    });
    this.running.add(gateway);
    return gateway;
  }

  async stopGateway(gateway: RunningGateway): Promise<void> {
    this.running.delete(gateway);
    await gateway.stop();
  }
}
