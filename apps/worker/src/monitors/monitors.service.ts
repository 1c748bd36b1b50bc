import { Injectable } from '@nestjs/common';
import {
  type AskedPage,
  type HitState,
  type MonitorAnswer,
  type MonitorEventAnswer,
  type MonitorEventsAnswer,
  type MonitorSlots,
  type MonitorsAnswer,
  type UpdateMonitorRequest,
} from '#libs/contracts';
import { Database, type Transaction } from '#libs/database';
import { Clock, NotFound, isId } from '#libs/platform';
import { ChecksService } from '../monitor-checks/checks.service.js';
import { changedRule } from './monitor-rule.js';
import { type ShownMonitor, domainsOf, monitorAnswer, readerOf } from './monitor.js';
import { MonitorPlacesService } from './monitor-places.service.js';
import { MonitorsRepository } from './monitors.repository.js';
import { NewsService } from '../monitor-news/news.service.js';

@Injectable()
export class MonitorsService {
  constructor(
    private readonly database: Database,
    private readonly monitors: MonitorsRepository,
    private readonly checks: ChecksService,
    private readonly news: NewsService,
    private readonly places: MonitorPlacesService,
    private readonly clock: Clock,
  ) {}

  async list(accountId: string, asked: AskedPage): Promise<MonitorsAnswer> {
    const [after] = asked.after ?? [];
    const { limit } = asked;
    const rows = await this.monitors.list(this.database, accountId, { limit, after });
    const { items, paging } = asked.cut(rows, ({ id }) => [id]);
    return { status: true, monitors: items.map(monitorAnswer), paging };
  }

  /** @throws NotFound. */
  async get(accountId: string, id: string): Promise<MonitorAnswer> {
    return monitorAnswer(await this.find(this.database, accountId, id));
  }

  /**
   * @param isDryRun true to change nothing, and only return the changed monitor with its price.
   * @throws NotFound, InvalidRequest; for a dry run, ServiceUnavailable.
   */
  async update(
    accountId: string,
    id: string,
    request: UpdateMonitorRequest,
    { isDryRun = false } = {},
  ): Promise<MonitorAnswer> {
    const changed = (monitor: ShownMonitor): ShownMonitor => ({
      ...monitor,
      name: request.name ?? monitor.name,
      sendsMail: request.mail ?? monitor.sendsMail,
      rule: changedRule(monitor.kind, monitor.rule, request),
    });
    if (!isDryRun) return this.change(accountId, id, async (monitor) => changed(monitor));
    const monitor = await this.find(this.database, accountId, id);
    return this.places.dryRun(changed(monitor), { isNew: false });
  }

  /** Pauses a monitor, which frees its slot. @throws NotFound. */
  async pause(accountId: string, id: string): Promise<MonitorAnswer> {
    return this.change(accountId, id, async (monitor, transaction) => {
      await this.places.refit(transaction, accountId);
      return { ...monitor, isPaused: true, isOverLimit: false };
    });
  }

  /** @throws NotFound, MonitorLimitReached, TooManyMonitors, ServiceUnavailable. */
  async resume(accountId: string, id: string): Promise<MonitorAnswer> {
    const slots = await this.places.slotsOf(accountId);
    return this.change(accountId, id, async (monitor, transaction) => {
      if (!monitor.isPaused && !monitor.isOverLimit) return monitor;
      await this.places.take(transaction, monitor, slots);
      const isAtOnce = await this.places.isCheckedAtOnce(transaction, monitor, slots);
      return { ...monitor, isPaused: false, isOverLimit: false, isAtOnce };
    });
  }

  /**
   * Removes a monitor with its events. @returns the removed monitor.
   * @throws NotFound.
   */
  async remove(accountId: string, id: string): Promise<MonitorAnswer> {
    return this.database.transaction(async (transaction) => {
      const monitor = await this.find(transaction, accountId, id);
      await this.checks.hold(transaction, domainsOf(monitor));
      await this.monitors.delete(transaction, accountId, id);
      await this.checks.forget(transaction, domainsOf(monitor));
      await this.places.refit(transaction, accountId);
      return monitorAnswer(monitor);
    });
  }

  /** @throws NotFound, TooManyTests, TooManyTestsADay. */
  async test(accountId: string, id: string): Promise<MonitorEventAnswer> {
    return this.database.transaction(async (transaction) => {
      await this.monitors.lock(transaction, accountId);
      const monitor = await this.find(transaction, accountId, id);
      const domainName = monitor.rule.domain_name ?? 'example.com';
      return this.news.test(transaction, readerOf(monitor), domainName);
    });
  }

  /** Lists the events of a monitor, or those in one state, newest first. @throws NotFound. */
  async events(
    accountId: string,
    id: string,
    asked: AskedPage,
    state?: HitState,
  ): Promise<MonitorEventsAnswer> {
    await this.find(this.database, accountId, id);
    return this.news.list({ accountId, monitorId: id }, asked, state);
  }

  /** @throws NotFound. */
  async setHit(
    accountId: string,
    id: string,
    eventId: string,
    state: HitState,
  ): Promise<MonitorEventAnswer> {
    return this.news.setState({ accountId, monitorId: id }, eventId, state);
  }

  /**
   * Pauses the newest monitors that exceed an allowance, and resumes those that it covers again.
   * @returns whether the account has any monitor.
   */
  async fit(accountId: string, slots: MonitorSlots): Promise<boolean> {
    return this.database.transaction(async (transaction) => {
      await this.monitors.lock(transaction, accountId);
      const now = this.clock.now();
      const resumed = await this.monitors.fit(transaction, accountId, slots, now);
      await this.checks.watch(transaction, resumed);
      return (await this.monitors.count(transaction, accountId, 'domain')).all > 0;
    });
  }

  /** Removes an account's monitors, with their events and unpaid checks. */
  async erase(transaction: Transaction, accountId: string): Promise<void> {
    const domains = await this.monitors.domainsOf(transaction, accountId);
    await this.checks.hold(transaction, domains);
    await this.news.erase(transaction, accountId);
    await this.monitors.deleteOfAccount(transaction, accountId);
    await this.places.forget(transaction, accountId);
    await this.checks.forgetPaid(transaction, accountId);
    await this.checks.forget(transaction, domains);
  }

  private async change(
    accountId: string,
    id: string,
    made: (monitor: ShownMonitor, transaction: Transaction) => Promise<Changed>,
  ): Promise<MonitorAnswer> {
    return this.database.transaction(async (transaction) => {
      await this.monitors.lock(transaction, accountId);
      const monitor = await this.find(transaction, accountId, id);
      await this.checks.hold(transaction, domainsOf(monitor));
      const { isAtOnce = false, ...changed } = await made(monitor, transaction);
      const now = this.clock.now();
      await this.monitors.update(transaction, changed, now);
      if (!changed.isPaused && !changed.isOverLimit) {
        await this.checks.watch(transaction, domainsOf(changed), { isAtOnce });
      }
      return monitorAnswer(await this.find(transaction, accountId, id));
    });
  }

  private async find(
    runner: Pick<Database, 'query'> | Transaction,
    accountId: string,
    id: string,
  ): Promise<ShownMonitor> {
    const monitor = isId(id) && (await this.monitors.find(runner, accountId, id));
    if (!monitor) throw new NotFound('There is no monitor with this id.');
    return monitor;
  }
}

type Changed = ShownMonitor & { isAtOnce?: boolean };
