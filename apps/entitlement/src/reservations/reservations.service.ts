import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
import { ReservationsRepository } from './reservations.repository.js';

/** What leases and holds of an account ask of each other. */
@Injectable()
export class ReservationsService {
  constructor(private readonly reservations: ReservationsRepository) {}

  /** Credits in open leases of an account that their holders have not used as far as they said. */
  async sumUnusedOfLeases(transaction: Transaction, accountId: string): Promise<number> {
    return this.reservations.sumUnusedOfLeases(transaction, accountId);
  }

  /** Asks the holders of an account's open leases for what they do not need. */
  async recallLeases(transaction: Transaction, accountId: string): Promise<void> {
    await this.reservations.recallLeases(transaction, accountId);
  }
}
