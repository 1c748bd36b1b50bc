import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
import { Clock, type Micros } from '#libs/platform';
import type { Payment } from '../payment-records/payment.entity.js';
import { LossesRepository } from './losses.repository.js';

/** Books money that was reversed beyond its invoice: refunded, and then lost again in a dispute. */
@Injectable()
export class LossesService {
  constructor(
    private readonly losses: LossesRepository,
    private readonly clock: Clock,
  ) {}

  /** Returns the amount of a payment's final reversals, and the part of it that is booked as a loss. */
  async ofPayment(
    transaction: Transaction,
    payment: Payment,
  ): Promise<{ takenMicros: Micros; lostMicros: Micros }> {
    return this.losses.ofPayment(transaction, payment);
  }

  /** Books an additional loss. A negative amount is money that came back to the operator. */
  async book(transaction: Transaction, payment: Payment, micros: Micros): Promise<void> {
    if (micros === 0n) return;
    await this.losses.insert(transaction, payment, { micros, bookedAt: this.clock.now() });
  }
}
