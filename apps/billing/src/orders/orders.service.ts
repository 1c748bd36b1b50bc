import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { AskedPage, CreateOrderRequest, OrderAnswer, OrdersAnswer } from '#libs/contracts';
import { Database, IdempotencyKeyReused, type Transaction } from '#libs/database';
import { Clock, HOUR_MS, InvalidRequest, NotFound, crashPoint, isId, newId } from '#libs/platform';
import { PurchaseRulesService } from '../purchase-rules/purchase-rules.service.js';
import type { Wish } from '../pricing/quote.js';
import type { CheckoutSnapshot, ProcessorName } from '../processors/payment-processor.js';
import { PaymentsService } from '../payments/payments.service.js';
import type { ReversedPayment } from '../payments/reversals.service.js';
import { CheckoutsService } from './checkouts.service.js';
import type { Order } from './order.entity.js';
import { orderLinesOf } from './order-lines.js';
import { isUnpaid, stateAfterCheckout, stateAfterReversal } from './order-state.js';
import { toOrderAnswer } from './order-answer.js';
import { ProcessorUnavailable } from '../processors/processors.errors.js';
import { CheckoutRefused, TooManyBegunOrders, TooManyOpenOrders } from './orders.errors.js';
import { OrdersRepository } from './orders.repository.js';

/** How long a checkout page stays open; processors require at least half an hour. */
const CHECKOUT_MS = HOUR_MS;
/** Maximum number of unpaid orders with an open page: more than a customer needs, and few enough for the processor. */
const OPEN_ORDERS_MAX = 20;
/** Maximum number of unpaid orders within an hour. Each order opens a page, even if it is dropped at once. */
const BEGUN_ORDERS_MAX = 60;

@Injectable()
export class OrdersService {
  constructor(
    private readonly database: Database,
    private readonly orders: OrdersRepository,
    private readonly checkouts: CheckoutsService,
    private readonly payments: PaymentsService,
    private readonly rules: PurchaseRulesService,
    private readonly clock: Clock,
  ) {}

  /**
   * Prices the request, stores the order and opens its checkout. A repeat with the same key returns the same order and
   * completes unfinished steps.
   * @throws InvalidRequest for items that are not sold or a processor that is not offered; AccountDeletedHere,
   *   AccountSuspendedHere, DebtOpen, BaseMissing, BillingDetailsMissing, SubscriptionExists, TooManyOpenOrders,
   *   TooManyBegunOrders, IdempotencyKeyReused, ProcessorUnavailable, CheckoutRefused, ServiceUnavailable.
   */
  async create(
    accountId: string,
    request: CreateOrderRequest,
    requestKey?: string,
  ): Promise<OrderAnswer> {
    const order = await this.store(accountId, request, requestKey);
    crashPoint('order.after-commit');
    if (order.state === 'created') {
      const opened = await this.checkouts.open(order);
      if (opened.outcome === 'unknown') throw new ProcessorUnavailable(opened.cause);
      if (opened.outcome === 'refused') throw new CheckoutRefused(opened);
    }
    return this.get(accountId, order.id);
  }

  /** @throws NotFound, including for another account's order (S85). */
  async get(accountId: string, orderId: string): Promise<OrderAnswer> {
    return this.database.transaction(async (transaction) => {
      const order = await this.find(transaction, accountId, orderId);
      const lines = await this.orders.listLines(transaction, accountId, orderId);
      return toOrderAnswer(order, lines);
    });
  }

  /**
   * Drops the order unless it is paid. @throws NotFound, ProcessorUnavailable.
   * @returns whether this call dropped the order; false for an order that is paid or had already ended.
   */
  async drop(accountId: string, orderId: string): Promise<boolean> {
    const order = await this.database.transaction((transaction) =>
      this.find(transaction, accountId, orderId),
    );
    return this.checkouts.drop(order);
  }

  async list(accountId: string, asked: AskedPage): Promise<OrdersAnswer> {
    return this.database.transaction(async (transaction) => {
      const rows = await this.orders.list(transaction, accountId, asked);
      const { items, paging } = asked.cut(rows, ({ id }) => [id]);
      const ids = items.map(({ id }) => id);
      const lines = await this.orders.listLinesOf(transaction, accountId, ids);
      const byOrder = Map.groupBy(lines, ({ orderId }) => orderId);
      const orders = items.map((order) => toOrderAnswer(order, byOrder.get(order.id) ?? []));
      return { orders, paging };
    });
  }

  /**
   * Returns an order's processor and the id of its checkout; the id is null until the processor has
   * confirmed the checkout.
   * @throws NotFound.
   */
  async checkoutOf(
    accountId: string,
    orderId: string,
  ): Promise<{ processor: ProcessorName; checkoutId: string | null }> {
    return this.database.transaction((transaction) => this.find(transaction, accountId, orderId));
  }

  /**
   * Applies a fetched checkout. If it does not match our order, the order is set aside for an operator and nothing is
   * granted (S47).
   * @returns the account of our order; undefined if the checkout belongs to no order.
   */
  async applyCheckout(
    transaction: Transaction,
    processor: ProcessorName,
    checkout: CheckoutSnapshot,
  ): Promise<string | undefined> {
    const order = await this.lockFor(transaction, processor, checkout);
    if (!order) return undefined;
    const fault =
      mismatchOf(order, checkout) ?? (await this.takePayment(transaction, order, checkout));
    const now = this.clock.now();
    await this.orders.update(transaction, order, {
      checkoutId: checkout.id,
      ...(checkout.isDeclined && { declinedAt: now }),
      state: fault ? order.state : stateAfterCheckout(order.state, checkout.state),
      setAsideBecause: fault ?? null,
      updatedAt: now,
    });
    return order.accountId;
  }

  /**
   * Stores the payment of a paid checkout.
   * @returns the reason if the payment does not match this order.
   */
  private async takePayment(
    transaction: Transaction,
    order: Order,
    { state, payment }: CheckoutSnapshot,
  ): Promise<string | undefined> {
    if (state !== 'paid' || !payment) return undefined;
    const isStored = await this.payments.confirm(transaction, {
      accountId: order.accountId,
      orderId: order.id,
      processor: order.processor,
      payment,
      billId: null,
      isAnnounced: true,
      catalogueVersion: order.catalogueVersion,
      lines: await this.orders.listLines(transaction, order.accountId, order.id),
    });
    return isStored ? undefined : 'the payment belongs to another order';
  }

  /** Returns the account whose order was paid by a checkout; undefined if the checkout is not paid. */
  async ownerOfPaid(
    transaction: Transaction,
    processor: ProcessorName,
    checkoutId: string,
  ): Promise<string | undefined> {
    const order = await this.orders.findByCheckout(transaction, processor, checkoutId);
    return order && !isUnpaid(order.state) ? order.accountId : undefined;
  }

  async applyReversed(transaction: Transaction, reversed: ReversedPayment): Promise<void> {
    const { accountId, orderId, amountMicros: paidMicros } = reversed.payment;
    if (orderId === null) return;
    const order = await this.orders.lock(transaction, accountId, orderId);
    if (!order) return;
    await this.orders.update(transaction, order, {
      state: stateAfterReversal({ paidMicros, ...reversed }),
      updatedAt: this.clock.now(),
    });
  }

  private async store(
    accountId: string,
    request: CreateOrderRequest,
    requestKey: string | undefined,
  ): Promise<Order> {
    this.checkouts.checkOffered(request.processor);
    const quote = await this.rules.quote(accountId, wishOf(request));
    if (!quote) throw notSold(request);
    const now = this.clock.now();
    const id = newId();
    const order: Order = {
      id,
      accountId,
      requestKey: requestKey ?? id,
      requestHash: createHash('sha256').update(JSON.stringify(request)).digest(),
      state: 'created',
      processor: request.processor,
      amountMicros: quote.amountMicros,
      currency: quote.currency,
      isReverseCharge: quote.isReverseCharge,
      catalogueVersion: quote.catalogueVersion,
      checkoutId: null,
      redirectUrl: null,
      declinedAt: null,
      expiresAt: new Date(now.getTime() + CHECKOUT_MS),
      setAsideBecause: null,
      createdAt: now,
      updatedAt: now,
    };
    const repeated = await this.database.transaction((transaction) =>
      this.orders.findByRequest(transaction, accountId, order.requestKey),
    );
    // A repeat may still have to open the page.
    const opensPage = !repeated || repeated.state === 'created';
    if (opensPage) await this.rules.checkOwned(accountId, order.processor, quote.lines);
    return this.database.transaction(async (transaction) => {
      const lines = orderLinesOf(accountId, id, quote.lines);
      if (opensPage) await this.rules.check(transaction, accountId, lines);
      if (await this.orders.insert(transaction, order, lines)) {
        await this.rules.noteTax(transaction, accountId, id, quote);
        await this.checkOpen(transaction, order);
        return order;
      }
      const first = await this.orders.findByRequest(transaction, accountId, order.requestKey);
      if (!first?.requestHash.equals(order.requestHash)) throw new IdempotencyKeyReused();
      return first;
    });
  }

  /**
   * Checks the limits on unpaid orders. Orders of one account are checked one at a time. @throws TooManyOpenOrders,
   * TooManyBegunOrders.
   */
  private async checkOpen(
    transaction: Transaction,
    { accountId, createdAt }: Order,
  ): Promise<void> {
    const opened = new Date(createdAt.getTime() - CHECKOUT_MS);
    const { open, begun } = await this.orders.countUnpaid(transaction, accountId, opened);
    if (open > OPEN_ORDERS_MAX) throw new TooManyOpenOrders(OPEN_ORDERS_MAX);
    if (begun > BEGUN_ORDERS_MAX) throw new TooManyBegunOrders(BEGUN_ORDERS_MAX);
  }

  /**
   * Finds and locks the order of this checkout, or the order that the checkout names if the answer to the checkout's
   * creation was lost; returns null if there is neither.
   */
  private async lockFor(
    transaction: Transaction,
    processor: ProcessorName,
    { id, orderId }: CheckoutSnapshot,
  ): Promise<Order | null> {
    const known = await this.orders.lockByCheckout(transaction, processor, id);
    if (known || !isId(orderId)) return known;
    return this.orders.lockWithoutCheckout(transaction, processor, orderId);
  }

  private async find(transaction: Transaction, accountId: string, id: string): Promise<Order> {
    const order = isId(id) ? await this.orders.find(transaction, accountId, id) : null;
    if (!order) throw new NotFound();
    return order;
  }
}

function wishOf({ product, credits, sku, quantity }: CreateOrderRequest): Wish {
  return product === 'package'
    ? { product, credits: credits ?? 0 }
    : { product, sku: sku ?? '', quantity: quantity ?? 1 };
}

function notSold({ product }: CreateOrderRequest): InvalidRequest {
  return new InvalidRequest([
    product === 'package'
      ? {
          field: 'credits',
          message: 'must be 5,000 to 3,000,000, in steps of 1,000, or of 10,000 above 100,000',
        }
      : { field: 'sku', message: 'is not sold in this quantity' },
  ]);
}

function mismatchOf(order: Order, checkout: CheckoutSnapshot): string | undefined {
  const { payment } = checkout;
  if (checkout.orderId !== order.id) return 'the checkout names another order';
  if (checkout.currency !== order.currency) return 'the checkout has a different currency';
  // A plan is paid through its bills, and a balance or a coupon may change the amount of its checkout.
  if (checkout.subscriptionId !== undefined) return undefined;
  if (checkout.amountMicros !== order.amountMicros) return 'the checkout has a different amount';
  if (checkout.state !== 'paid') return undefined;
  if (!payment) return 'the checkout is paid, but there is no payment for it';
  if (payment.currency !== order.currency) return 'the payment has a different currency';
  if (payment.amountMicros !== order.amountMicros) return 'the payment has a different amount';
  return undefined;
}
