import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { MaintenanceDatabase, type Transaction } from '#libs/database';
import type { ProcessorName } from '../processors/payment-processor.js';
import { Order } from './order.entity.js';
import { OrderLine } from './order-line.entity.js';
import { OPEN_ORDER_STATES } from './order-state.js';

@Injectable()
export class OrdersRepository {
  /** @returns false if the account already has an order with this request key. */
  async insert(transaction: Transaction, order: Order, lines: OrderLine[]): Promise<boolean> {
    const inserted = await transaction.manager
      .createQueryBuilder()
      .insert()
      .into(Order)
      .values(order)
      .orIgnore()
      .returning('id')
      .execute();
    if ((inserted.raw as unknown[]).length === 0) return false;
    await transaction.manager.insert(OrderLine, lines);
    return true;
  }

  /**
   * Counts the orders created after `since`: those that wait for their customer (`open`), and these together with
   * cancelled orders (`begun`). Other calls for the same account wait until the transaction ends.
   */
  async countUnpaid(
    transaction: Transaction,
    accountId: string,
    since: Date,
  ): Promise<{ open: number; begun: number }> {
    await transaction.query(`select pg_advisory_xact_lock(hashtextextended('orders ' || $1, 0))`, [
      accountId,
    ]);
    const [counts] = await transaction.query<{ open: number; begun: number }>(
      `select count(*) filter (where state <> 'cancelled')::int as open, count(*)::int as begun from orders
       where account_id = $1 and created_at > $2 and state in ('created', 'redirected', 'cancelled')`,
      [accountId, since],
    );
    return counts;
  }

  async findByRequest(
    transaction: Transaction,
    accountId: string,
    requestKey: string,
  ): Promise<Order | null> {
    return transaction.manager.findOneBy(Order, { accountId, requestKey });
  }

  async find(transaction: Transaction, accountId: string, id: string): Promise<Order | null> {
    return transaction.manager.findOneBy(Order, { accountId, id });
  }

  async list(
    transaction: Transaction,
    accountId: string,
    page: { after?: readonly string[]; limit: number },
  ): Promise<Order[]> {
    const query = transaction.manager
      .createQueryBuilder(Order, 'orders')
      .where('orders.accountId = :accountId', { accountId })
      .orderBy('orders.id', 'DESC')
      .limit(page.limit);
    if (page.after) query.andWhere('orders.id < :after', { after: page.after[0] });
    return query.getMany();
  }

  async listLines(
    transaction: Transaction,
    accountId: string,
    orderId: string,
  ): Promise<OrderLine[]> {
    return transaction.manager.findBy(OrderLine, { accountId, orderId });
  }

  async listLinesOf(
    transaction: Transaction,
    accountId: string,
    orderIds: readonly string[],
  ): Promise<OrderLine[]> {
    return transaction.manager.findBy(OrderLine, { accountId, orderId: In([...orderIds]) });
  }

  /**
   * Finds the order of a checkout, and locks it until the transaction ends; returns null if there
   * is none. Like all locks on orders, this lock lets other transactions write rows that refer to
   * the order.
   */
  async lockByCheckout(
    transaction: Transaction,
    processor: ProcessorName,
    checkoutId: string,
  ): Promise<Order | null> {
    return transaction.manager.findOne(Order, {
      where: { processor, checkoutId },
      lock: { mode: 'for_no_key_update' },
    });
  }

  async findByCheckout(
    transaction: Transaction,
    processor: ProcessorName,
    checkoutId: string,
  ): Promise<Order | null> {
    return transaction.manager.findOneBy(Order, { processor, checkoutId });
  }

  /**
   * Finds and locks an order by the reference that the processor returns; null if there is none, or
   * if its checkout is already known.
   */
  async lockWithoutCheckout(
    transaction: Transaction,
    processor: ProcessorName,
    id: string,
  ): Promise<Order | null> {
    const order = await transaction.manager.findOne(Order, {
      where: { processor, id },
      lock: { mode: 'for_no_key_update' },
    });
    return order?.checkoutId === null ? order : null;
  }

  async findById(
    transaction: Transaction,
    processor: ProcessorName,
    orderId: string,
  ): Promise<Order | null> {
    return transaction.manager.findOneBy(Order, { processor, id: orderId });
  }

  async lock(transaction: Transaction, accountId: string, id: string): Promise<Order | null> {
    return transaction.manager.findOne(Order, {
      where: { accountId, id },
      lock: { mode: 'for_no_key_update' },
    });
  }

  async update(
    transaction: Transaction,
    { accountId, id }: Order,
    changes: Partial<Order>,
  ): Promise<void> {
    await transaction.manager.update(Order, { accountId, id }, changes);
  }

  async findCustomer(
    transaction: Transaction,
    accountId: string,
    processor: ProcessorName,
  ): Promise<string | undefined> {
    const [row] = await transaction.query<{ id: string }>(
      `select customer_id as id from processor_customers where account_id = $1 and processor = $2`,
      [accountId, processor],
    );
    return row?.id;
  }

  async putCustomer(
    transaction: Transaction,
    accountId: string,
    processor: ProcessorName,
    customerId: string,
  ): Promise<void> {
    await transaction.query(
      `insert into processor_customers (account_id, processor, customer_id) values ($1, $2, $3)
       on conflict (account_id, processor) do update set customer_id = $3`,
      [accountId, processor, customerId],
    );
  }
}

@Injectable()
export class OrdersMaintenanceRepository {
  constructor(private readonly maintenance: MaintenanceDatabase) {}

  async listSilent(before: Date, after: string, limit: number): Promise<Order[]> {
    return this.maintenance.transaction((transaction) =>
      transaction.manager
        .createQueryBuilder(Order, 'orders')
        .where('orders.state in (:...states)', { states: OPEN_ORDER_STATES })
        .andWhere('orders.updatedAt < :before and orders.id > :after', { before, after })
        .orderBy('orders.id')
        .limit(limit)
        .getMany(),
    );
  }

  async listOfDeleted(after: string, limit: number): Promise<Order[]> {
    return this.maintenance.transaction((transaction) =>
      transaction.manager
        .createQueryBuilder(Order, 'orders')
        .where('orders.state in (:...states)', { states: OPEN_ORDER_STATES })
        .andWhere('orders.id > :after', { after })
        .andWhere(
          `exists (select from account_states a where a.account_id = orders.account_id
             and a.state <> 'active')`,
        )
        .orderBy('orders.id')
        .limit(limit)
        .getMany(),
    );
  }
}
