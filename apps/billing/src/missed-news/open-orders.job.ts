import { Injectable } from '@nestjs/common';
import { FIRST_ID, type Job, Logger, MINUTE_MS } from '#libs/platform';
import { CheckoutsService } from '../orders/checkouts.service.js';
import type { Order } from '../orders/order.entity.js';
import { OrdersService } from '../orders/orders.service.js';
import { SyncService } from '../processor-sync/sync.service.js';
import { MissedNewsService } from './missed-news.service.js';

const SILENT_MS = 5 * MINUTE_MS;
const ORDERS_MAX = 200;

/**
 * Fetches the checkouts of open orders that have not changed for five minutes, because a callback or an answer may have
 * been lost.
 */
@Injectable()
export class OpenOrdersJob implements Job {
  readonly name = 'open-orders';
  /** The next run continues after this id, so that orders without an answer never delay later ones. */
  private after = FIRST_ID;

  constructor(
    private readonly orders: OrdersService,
    private readonly checkouts: CheckoutsService,
    private readonly syncing: SyncService,
    private readonly runs: MissedNewsService,
    private readonly logger: Logger,
  ) {}

  async runOnce(): Promise<void> {
    await this.runs.record(this.name, async (count) => {
      const before = new Date(count.startedAt.getTime() - SILENT_MS);
      const silent = await this.checkouts.listSilent(before, this.after, ORDERS_MAX);
      this.after = silent.length < ORDERS_MAX ? FIRST_ID : silent[ORDERS_MAX - 1].id;
      for (const order of silent) {
        const hasAnswer = await this.lookAfter(order).catch((err: unknown) => {
          // This order waits for the next run, and the others continue.
          this.logger.error('an open order could not be followed up yet', { id: order.id, err });
          return false;
        });
        const { state } = await this.orders.get(order.accountId, order.id);
        count.checked += 1;
        if (!hasAnswer) count.failed += 1;
        else if (state !== order.state) count.healed += 1;
      }
    });
  }

  private async lookAfter(order: Order): Promise<boolean> {
    const { processor, checkoutId } = order;
    if (checkoutId === null) return this.checkouts.recover(order);
    if (isDeclined(order)) return this.checkouts.endDeclined(order);
    const result = await this.syncing.sync({ processor, kind: 'checkout', id: checkoutId });
    if (result === 'refused') return this.checkouts.giveUp(order);
    return result === 'synced';
  }
}

/** Whether the payment of an order was declined, and no other is on its way. */
const isDeclined = ({ declinedAt, state }: Order) => declinedAt !== null && state === 'redirected';
