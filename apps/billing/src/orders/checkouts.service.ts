import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database';
import { Clock, DAY_MS, crashPoint } from '#libs/platform';
import { BillingConfig } from '../billing.config.js';
import { PaymentProcessors } from '../processors/payment-processors.js';
import { ProcessorUnavailable } from '../processors/processors.errors.js';
import type {
  CreatedCheckout,
  CallResult,
  ProcessorName,
} from '../processors/payment-processor.js';
import type { Order } from './order.entity.js';
import { OPEN_ORDER_STATES } from './order-state.js';
import { checkoutLineOf } from './order-lines.js';
import { OrdersMaintenanceRepository, OrdersRepository } from './orders.repository.js';

const NOT_CLOSABLE = 'not_closable';

@Injectable()
export class CheckoutsService {
  constructor(
    private readonly database: Database,
    private readonly orders: OrdersRepository,
    private readonly silentOrders: OrdersMaintenanceRepository,
    private readonly processors: PaymentProcessors,
    private readonly clock: Clock,
    private readonly config: BillingConfig,
  ) {}

  /**
   * Creates an order's checkout at the processor, and stores the answer. The request is built from
   * stored rows, so a repeat can use the same idempotency key.
   */
  async open(order: Order): Promise<CallResult<CreatedCheckout>> {
    const { accountId, id: orderId, processor } = order;
    const { lines, customerId } = await this.database.transaction(async (transaction) => ({
      lines: await this.orders.listLines(transaction, accountId, orderId),
      customerId: await this.orders.findCustomer(transaction, accountId, processor),
    }));
    const returnUrl = `${this.config.dashboardUrl}/billing/return?order=${orderId}`;
    const outcome = await this.processors.get(processor).createCheckout({
      orderId,
      accountId,
      customerId,
      currency: order.currency,
      lines: lines.map((line) => checkoutLineOf(order, line)),
      expiresAt: order.expiresAt,
      successUrl: returnUrl,
      cancelUrl: `${returnUrl}&cancelled=1`,
    });
    crashPoint('checkout.after-call');
    if (outcome.outcome === 'done') await this.store(order, outcome.value);
    else if (outcome.outcome === 'refused') await this.end(order, 'failed');
    return outcome;
  }

  /** @throws InvalidRequest for a processor that customers cannot choose here. */
  checkOffered(processor: ProcessorName): void {
    this.processors.checkOffered(processor);
  }

  /** Returns the account's customer id at a processor; undefined before its first checkout there. */
  async customerOf(accountId: string, processor: ProcessorName): Promise<string | undefined> {
    return this.database.transaction((transaction) =>
      this.orders.findCustomer(transaction, accountId, processor),
    );
  }

  /**
   * Closes the checkout pages of deleted accounts and cancels their orders, in the order of the orders' ids. A payment
   * made in the meantime is refunded.
   * @param after the id to continue after.
   * @returns the orders that were tried.
   */
  async closeOfDeleted(after: string, limit: number): Promise<Order[]> {
    const orders = await this.silentOrders.listOfDeleted(after, limit);
    for (const order of orders) {
      const { processor, checkoutId } = order;
      if (checkoutId !== null) {
        const closed = await this.processors.find(processor)?.closeCheckout(checkoutId);
        if (closed?.outcome === 'unknown') continue;
      }
      await this.end(order, 'cancelled');
    }
    return orders;
  }

  /**
   * Cancels an order that its customer drops, and closes its page.
   * @returns false if the order is no longer open, or the customer has paid on the page.
   * @throws ProcessorUnavailable.
   */
  async drop(order: Order): Promise<boolean> {
    const { processor, checkoutId, state } = order;
    if (!OPEN_ORDER_STATES.some((open) => open === state)) return false;
    if (checkoutId !== null) {
      const closed = await this.processors.find(processor)?.closeCheckout(checkoutId);
      if (closed?.outcome === 'unknown') throw new ProcessorUnavailable(closed.cause);
      // Pages that cannot be closed expire by themselves. A payment made before then counts.
      if (closed?.outcome === 'refused' && closed.code !== NOT_CLOSABLE) return false;
    }
    await this.end(order, 'cancelled');
    return true;
  }

  /** Lists open orders that have not been updated since `before`, by id. @param after the id to continue after. */
  async listSilent(before: Date, after: string, limit: number): Promise<Order[]> {
    return this.silentOrders.listSilent(before, after, limit);
  }

  /**
   * Resolves an order whose checkout may or may not have been created: repeats the call while its key and the page are
   * valid, and afterwards searches for the checkout. @returns false while the processor does not answer.
   */
  async recover(order: Order): Promise<boolean> {
    if (this.clock.now() < order.expiresAt) return (await this.open(order)).outcome !== 'unknown';
    const { accountId, id, processor } = order;
    const customerId = await this.customerOf(accountId, processor);
    if (customerId !== undefined) {
      const found = await this.processors.find(processor)?.findCheckout(id, customerId);
      if (found?.outcome === 'unknown') return false;
      if (found?.outcome === 'done' && found.value) {
        const created = { checkoutId: found.value.id, customerId, redirectUrl: '' };
        await this.store(order, created);
        return true;
      }
    }
    // No customer was ever redirected to the page of this order.
    await this.end(order, 'expired');
    return true;
  }

  /**
   * Ends an order whose checkout the processor no longer knows, once a day has passed since the page closed. (Some
   * processors delete unpaid checkouts.) Also closes the checkout: a processor that refused to take an approved payment
   * must not take it later. @returns false before that day is over, or if the processor does not answer.
   */
  async giveUp(order: Order): Promise<boolean> {
    const { processor, checkoutId, expiresAt } = order;
    if (this.clock.now().getTime() < expiresAt.getTime() + DAY_MS) return false;
    const closed =
      checkoutId === null
        ? undefined
        : await this.processors.find(processor)?.closeCheckout(checkoutId);
    if (closed?.outcome === 'unknown') return false;
    await this.end(order, 'expired');
    return true;
  }

  /**
   * Ends an order whose payment was declined, once its page has closed. The processor is not asked: PayPal would try the
   * declined payment again, although its customer was told that nothing is charged, and may have paid in another way. A
   * new approval is reported, and a late payment still counts. @returns true.
   */
  async endDeclined(order: Order): Promise<boolean> {
    if (this.clock.now() >= order.expiresAt) await this.end(order, 'expired');
    return true;
  }

  private async store(order: Order, created: CreatedCheckout): Promise<void> {
    const { accountId, id, processor } = order;
    await this.database.transaction(async (transaction) => {
      await this.orders.putCustomer(transaction, accountId, processor, created.customerId);
      const current = await this.orders.lock(transaction, accountId, id);
      if (!current || current.checkoutId !== null) return;
      await this.orders.update(transaction, current, {
        checkoutId: created.checkoutId,
        redirectUrl: created.redirectUrl,
        state: current.state === 'created' ? 'redirected' : current.state,
        updatedAt: this.clock.now(),
      });
    });
  }

  private async end(
    { accountId, id }: Order,
    state: 'failed' | 'expired' | 'cancelled',
  ): Promise<void> {
    await this.database.transaction(async (transaction) => {
      const current = await this.orders.lock(transaction, accountId, id);
      if (!current || !OPEN_ORDER_STATES.some((open) => open === current.state)) return;
      await this.orders.update(transaction, current, {
        state,
        updatedAt: this.clock.now(),
      });
    });
  }
}
