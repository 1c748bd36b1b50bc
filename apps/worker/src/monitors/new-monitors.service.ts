import { Injectable } from '@nestjs/common';
import type { CreateMonitorRequest, MonitorAnswer } from '#libs/contracts';
import {
  Database,
  IdempotencyService,
  type IdempotentCall,
  type Transaction,
} from '#libs/database';
import { Clock, newId } from '#libs/platform';
import { ChecksService } from '../monitor-checks/checks.service.js';
import { type Monitor, type ShownMonitor, UNCHECKED, domainsOf, monitorAnswer } from './monitor.js';
import { MonitorPlacesService } from './monitor-places.service.js';
import { newRule } from './monitor-rule.js';
import { MonitorsRepository } from './monitors.repository.js';

/** Creates monitors. */
@Injectable()
export class NewMonitorsService {
  constructor(
    private readonly database: Database,
    private readonly monitors: MonitorsRepository,
    private readonly checks: ChecksService,
    private readonly places: MonitorPlacesService,
    private readonly idempotency: IdempotencyService,
    private readonly clock: Clock,
  ) {}

  /**
   * @param isDryRun true to store nothing, and only return the monitor with its price.
   * @throws InvalidRequest, MonitorLimitReached, TooManyMonitors, ServiceUnavailable, IdempotencyKeyRunning,
   *   IdempotencyKeyReused.
   */
  async create(
    accountId: string,
    request: CreateMonitorRequest,
    { isDryRun = false, call }: { isDryRun?: boolean; call?: IdempotentCall } = {},
  ): Promise<MonitorAnswer> {
    const monitor = this.newMonitor(accountId, request);
    if (isDryRun) return this.places.dryRun(monitor, { isNew: true });
    const slots = await this.places.slotsOf(accountId);
    const insert = async (transaction: Transaction) => {
      await this.places.take(transaction, monitor, slots);
      const isAtOnce = await this.places.isCheckedAtOnce(transaction, monitor, slots);
      await this.monitors.insert(transaction, monitor);
      await this.checks.watch(transaction, domainsOf(monitor), { isAtOnce });
      return monitorAnswer((await this.monitors.find(transaction, accountId, monitor.id))!);
    };
    return this.database.transaction((transaction) =>
      this.idempotency.once(transaction, accountId, { call }, () => insert(transaction)),
    );
  }

  private newMonitor(accountId: string, request: CreateMonitorRequest): ShownMonitor {
    const rule = newRule(request);
    const { kind, mail = true, name } = request;
    return {
      id: newId(),
      accountId,
      kind,
      name: name ?? nameOf(rule),
      isPaused: false,
      isOverLimit: false,
      sendsMail: mail,
      rule,
      createdAt: this.clock.now(),
      ...UNCHECKED,
    };
  }
}

const nameOf = ({ domain_name, keyword, owner, email, company }: Monitor['rule']): string =>
  (domain_name ?? keyword ?? owner ?? email ?? company!).slice(0, 100);
