import { Injectable } from '@nestjs/common';
import { type MonitorSlots, TIERS } from '#libs/contracts';
import type { Transaction } from '#libs/database';
import { ServiceClients } from '../service-clients.js';
import type { Monitor } from './monitor.js';
import { MonitorLimitReached, TooManyMonitors } from './monitors.errors.js';
import { MonitorsRepository } from './monitors.repository.js';
import { SlotsQueue } from './slots-queue.js';

/** The most monitors of one account, paused ones included. */
const MONITORS_MAX = 20_000;

/** Places for the monitors of an account, as its allowance says. */
@Injectable()
export class MonitorPlacesService {
  constructor(
    private readonly monitors: MonitorsRepository,
    private readonly clients: ServiceClients,
    private readonly queue: SlotsQueue,
  ) {}

  /** How many places there are of each kind, asked for before a transaction. */
  async slotsOf(accountId: string): Promise<MonitorSlots> {
    const { monitors } = await this.clients.entitlement.allowance(accountId);
    return monitors;
  }

  /**
   * Gives a place to a monitor. A lower allowance may have come and been fitted since it was asked for, so that it is
   * fitted again once this monitor counts.
   * @throws MonitorLimitReached, TooManyMonitors.
   */
  async take(
    transaction: Transaction,
    { accountId, kind, isPaused, isOverLimit }: Monitor,
    slots: MonitorSlots,
  ): Promise<void> {
    await this.monitors.lock(transaction, accountId);
    const { all, placed } = await this.monitors.count(transaction, accountId, kind);
    const limit = slots[kind];
    if (placed >= limit) {
      const larger = TIERS.find(({ monitors }) => monitors[kind] > limit);
      throw new MonitorLimitReached(kind, limit, larger?.name);
    }
    const isNew = !isPaused && !isOverLimit;
    if (isNew && all >= MONITORS_MAX) throw new TooManyMonitors(MONITORS_MAX);
    await this.queue.want(transaction, { name: accountId, payload: {}, accountId });
  }
}
