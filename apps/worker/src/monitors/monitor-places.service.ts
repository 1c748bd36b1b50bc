import { Injectable } from '@nestjs/common';
import { type MonitorAnswer, type MonitorSlots, TIERS, shortfallOf } from '#libs/contracts';
import { Database, type Transaction } from '#libs/database';
import { Clock } from '#libs/platform';
import { ServiceClients } from '../service-clients.js';
import { type Monitor, type ShownMonitor, monitorAnswer } from './monitor.js';
import { MonitorLimitReached, TooManyMonitors } from './monitors.errors.js';
import { MonitorsRepository } from './monitors.repository.js';
import { SlotsQueue } from './slots-queue.js';

/** Maximum number of monitors of an account, including paused ones. */
const MONITORS_MAX = 20_000;
/**
 * How many domain monitors per day, in addition to the plan's limit, are checked immediately when they are created or
 * resumed.
 */
const SPARE_FIRST_CHECKS = 10;

@Injectable()
export class MonitorPlacesService {
  constructor(
    private readonly database: Database,
    private readonly monitors: MonitorsRepository,
    private readonly clients: ServiceClients,
    private readonly queue: SlotsQueue,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns how many monitors of each kind are allowed. Call this before the transaction, because it calls another
   * service.
   */
  async slotsOf(accountId: string): Promise<MonitorSlots> {
    const { monitors } = await this.clients.entitlement.allowance(accountId);
    return monitors;
  }

  /**
   * Returns a monitor as it would be, with its price, for a dry run.
   * @param isNew whether the monitor needs a slot.
   * @throws ServiceUnavailable; with `isNew`, also MonitorLimitReached, TooManyMonitors.
   */
  async dryRun(monitor: ShownMonitor, { isNew }: { isNew: boolean }): Promise<MonitorAnswer> {
    const { accountId } = monitor;
    if (isNew) await this.requirePlace(this.database, monitor, await this.slotsOf(accountId));
    const { price, ...answer } = monitorAnswer(monitor);
    if (!price) return answer;
    const balance = await this.clients.entitlement.balance(accountId);
    const shortfall = shortfallOf(balance, price.credits_per_day_max);
    const isShort = price.is_short_of_credits || shortfallOf(balance, price.credits_per_check) > 0;
    return { ...answer, price: { ...price, is_short_of_credits: isShort, shortfall } };
  }

  /**
   * Reserves a slot for a monitor. The allowance may have been lowered and applied after it was read, so it is applied
   * again once this monitor counts.
   * @throws MonitorLimitReached, TooManyMonitors.
   */
  async take(transaction: Transaction, monitor: Monitor, slots: MonitorSlots): Promise<void> {
    const { accountId } = monitor;
    await this.monitors.lock(transaction, accountId);
    await this.requirePlace(transaction, monitor, slots);
    await this.refit(transaction, accountId);
  }

  /** Applies the allowance again once the transaction has committed, because a place was taken or freed. */
  async refit(transaction: Transaction, accountId: string): Promise<void> {
    await this.queue.want(transaction, { name: accountId, payload: {}, accountId });
  }

  /** Removes the work that waits for the end of an erased account's allowance. */
  async forget(transaction: Transaction, accountId: string): Promise<void> {
    await this.queue.forget(transaction, accountId);
  }

  /**
   * Counts a new or resumed monitor, and decides whether its domain is checked at once. The domain is not checked at
   * once if another monitor of the account watches it, or if the account has created or resumed too many monitors that
   * day. Otherwise, creating, reading and removing monitors would be free lookups. Call this under the lock that `take`
   * acquires, before the monitor is stored.
   */
  async isCheckedAtOnce(
    transaction: Transaction,
    { accountId, rule: { domain_name: name } }: Monitor,
    slots: MonitorSlots,
  ): Promise<boolean> {
    if (name === undefined) return false;
    if (await this.monitors.isWatched(transaction, accountId, name)) return false;
    const day = this.clock.now().toISOString().slice(0, 10);
    const made = await this.monitors.countMade(transaction, accountId, day);
    return made <= slots.domain + SPARE_FIRST_CHECKS;
  }

  private async requirePlace(
    runner: Pick<Database, 'query'> | Transaction,
    { accountId, kind, isPaused, isOverLimit }: Monitor,
    slots: MonitorSlots,
  ): Promise<void> {
    const { all, placed } = await this.monitors.count(runner, accountId, kind);
    const limit = slots[kind];
    if (placed >= limit) {
      const larger = TIERS.find(({ monitors }) => monitors[kind] > limit);
      throw new MonitorLimitReached(kind, limit, larger?.name);
    }
    const isNew = !isPaused && !isOverLimit;
    if (isNew && all >= MONITORS_MAX) throw new TooManyMonitors(MONITORS_MAX);
  }
}
