import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
import { ReservationsRepository } from './reservations.repository.js';

@Injectable()
export class ReservationsService {
  constructor(private readonly reservations: ReservationsRepository) {}

  /** Sums the credits of an account's open leases that are not reported as used. */
  async sumUnusedOfLeases(transaction: Transaction, accountId: string): Promise<number> {
    return this.reservations.sumUnusedOfLeases(transaction, accountId);
  }

  /** Asks the holders of an account's open leases to return unused credits. */
  async recallLeases(transaction: Transaction, accountId: string): Promise<void> {
    await this.reservations.recallLeases(transaction, accountId);
  }
}
