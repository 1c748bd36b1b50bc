import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { AccountExports } from '#libs/database';
import { type Clock, Logger, ServiceTokens, monotonicMs } from '#libs/platform';
import { type RunningDashboard, startDashboard } from '../dashboard/start-dashboard.js';
import type { Mailbox } from '../dashboard/mailbox/mailbox.js';
import { GatewayConfig } from '../gateway.config.js';
import type { OwnOperations } from '../owners/own-operations.js';
import { ProblemBodies } from '../problems/problem-body.js';
import { LoadShedder } from '../request/01-shed.js';
import type { UsageService } from '../usage/usage.service.js';
import { Services } from '../services.js';
import { ApiListener } from './api-listener.js';

interface OpenOptions {
  clock: Clock;
  logger: Logger;
  mailbox?: Mailbox;
  /** What the gateway itself holds of an account. */
  exports: AccountExports;
  usage: UsageService;
  own: OwnOperations;
}

/** The two public doors, as they are opened and closed: the API's first. */
@Injectable()
export class PublicListeners {
  apiUrl: string;
  private dashboard?: RunningDashboard;

  constructor(
    private readonly config: GatewayConfig,
    private readonly api: ApiListener,
    private readonly shedder: LoadShedder,
    private readonly services: Services,
    private readonly tokens: ServiceTokens,
    private readonly bodies: ProblemBodies,
  ) {}

  get dashboardUrl(): string {
    return this.dashboard?.url ?? '';
  }

  /** Whether both take connections. */
  get areOpen(): boolean {
    return this.dashboard !== undefined;
  }

  /** @throws when a port is taken. */
  async open({ clock, logger, mailbox, exports, usage, own }: OpenOptions): Promise<void> {
    const { config, services, tokens, bodies } = this;
    this.apiUrl = await this.api.start();
    this.dashboard = await startDashboard({
      clock,
      logger,
      mailbox,
      own,
      usage,
      publicUrl: config.billingUrl,
      apiUrl: config.baseUrl,
      host: config.dashboardHost,
      port: config.dashboardPort,
      reusePort: config.reusePort,
      owners: {
        account: config.accountUrl,
        billing: config.billingInternalUrl,
        entitlement: config.entitlementUrl,
        lookup: config.lookupUrl,
      },
      entitlement: services.entitlement,
      exports,
      tokens,
      bodies,
      trustedProxies: config.trustedProxies,
      isDataSimulated: config.isDataSimulated,
    });
  }

  /** Tells clients for a while to come back elsewhere, then finishes what is under way. */
  async drain(): Promise<void> {
    this.api.drain();
    await sleep(this.config.drainNoticeMs);
    await Promise.all([this.closeApi(), this.dashboard?.stop()]);
  }

  private async closeApi(): Promise<void> {
    const { api, shedder } = this;
    const closed = api.close();
    const until = monotonicMs() + this.config.drainMs;
    while ((shedder.inFlight > 0 || api.isSending) && monotonicMs() < until) await sleep(10);
    api.closeAll();
    await closed;
  }
}
