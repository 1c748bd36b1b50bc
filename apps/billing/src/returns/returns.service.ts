import { Injectable } from '@nestjs/common';
import type { OrderAnswer } from '#libs/contracts';
import { OrdersService } from '../orders/orders.service.js';
import { PaymentProcessors } from '../processors/payment-processors.js';
import { SyncService } from '../processor-sync/sync.service.js';

/**
 * Handles customers who return from a processor's page: completes and fetches the payment, as after a callback, or
 * drops the unpaid order.
 */
@Injectable()
export class ReturnsService {
  constructor(
    private readonly orders: OrdersService,
    private readonly processors: PaymentProcessors,
    private readonly syncing: SyncService,
  ) {}

  /**
   * Drops an unpaid order. If the order is paid or has already ended, the answer is the same as for
   * a return.
   * @throws NotFound, ProcessorUnavailable.
   */
  async drop(accountId: string, orderId: string): Promise<OrderAnswer> {
    const isDropped = await this.orders.drop(accountId, orderId);
    return isDropped ? this.orders.get(accountId, orderId) : this.complete(accountId, orderId);
  }

  /**
   * Completes the payment of a customer who has returned from the processor's page, and returns the
   * order. Only the order's id comes from the URL.
   * @throws NotFound, including for another account's order (S48).
   */
  async complete(accountId: string, orderId: string): Promise<OrderAnswer> {
    const { processor, checkoutId } = await this.orders.checkoutOf(accountId, orderId);
    if (checkoutId !== null) {
      const completed = await this.processors.find(processor)?.completeReturn(checkoutId);
      if (completed?.outcome === 'done') await this.syncing.sync({ processor, ...completed.value });
    }
    return this.orders.get(accountId, orderId);
  }
}
