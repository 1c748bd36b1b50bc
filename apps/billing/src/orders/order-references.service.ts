import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
import { isId } from '#libs/platform';
import type { ProcessorName } from '../processors/payment-processor.js';
import type { Order } from './order.entity.js';
import { OrdersRepository } from './orders.repository.js';

@Injectable()
export class OrderReferencesService {
  constructor(private readonly orders: OrdersRepository) {}

  /** @returns null if the reference is missing or not ours. */
  async find(
    transaction: Transaction,
    processor: ProcessorName,
    orderId: string | null,
  ): Promise<Order | null> {
    return isId(orderId) ? this.orders.findById(transaction, processor, orderId) : null;
  }
}
