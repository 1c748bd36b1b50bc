import { Injectable } from '@nestjs/common';
import { IdempotencyService, type Transaction } from '#libs/database';
import { BillingDetailsService } from '../billing-details/billing-details.service.js';
import { KeysService } from '../keys/keys.service.js';
import { OwnerMailService } from '../people/owner-mail.service.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { WaysInService } from './ways-in.service.js';

/** Deletes the personal data of an account that is erased, except its people and its data key. */
@Injectable()
export class ErasedDataService {
  constructor(
    private readonly sessions: SessionsService,
    private readonly waysIn: WaysInService,
    private readonly billingDetails: BillingDetailsService,
    private readonly idempotency: IdempotencyService,
    private readonly mail: OwnerMailService,
    private readonly keys: KeysService,
  ) {}

  async remove(transaction: Transaction, accountId: string): Promise<void> {
    await this.sessions.deleteAll(transaction, accountId);
    await this.waysIn.forget(transaction, accountId);
    await this.billingDetails.delete(transaction, accountId);
    await this.idempotency.forget(transaction, accountId);
    await this.mail.forget(transaction, accountId);
    await this.keys.scrub(transaction, accountId);
  }
}
