import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
import { Clock, type Micros } from '#libs/platform';
import type { Payment } from '../payment-records/payment.entity.js';
import { LossesRepository } from './losses.repository.js';

/** Money that went back beyond its invoice: refunded, and taken once more by a lost dispute. */
@Injectable()
export class LossesService {
  constructor(
    private readonly losses: LossesRepository,
    private readonly clock: Clock,
  ) {}

  /** The amount of a payment that was finally reversed, and how much of that is booked as a loss. */
  async ofPayment(
    transaction: Transaction,
    payment: Payment,
  ): Promise<{ takenMicros: Micros; lostMicros: Micros }> {
    return this.losses.ofPayment(transaction, payment);
  }

  /** Books what is lost more; below zero what came again. */
  async book(transaction: Transaction, payment: Payment, micros: Micros): Promise<void> {
    if (micros === 0n) return;
    await this.losses.insert(transaction, payment, { micros, bookedAt: this.clock.now() });
  }
}
