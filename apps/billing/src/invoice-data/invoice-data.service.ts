import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
import { Clock, DATA_KEY_BYTES, decrypt, derivedKey, encrypt } from '#libs/platform';
import { BillingConfig } from '../billing.config.js';
import { InvoiceKeysRepository } from './invoice-keys.repository.js';

/**
 * Encrypts what invoices say of a person with a key of billing's own: it outlives the account's erasure, for the
 * law wants invoices kept, and destroying it shreds every copy of them (S119).
 */
@Injectable()
export class InvoiceDataService {
  private readonly wrappingKey: Buffer;

  constructor(
    private readonly keys: InvoiceKeysRepository,
    private readonly clock: Clock,
    config: BillingConfig,
  ) {
    this.wrappingKey = derivedKey(config.invoiceDataSecret, 'invoice data keys');
  }

  async encrypt(transaction: Transaction, accountId: string, plaintext: Buffer): Promise<Buffer> {
    const wrapped =
      (await this.keys.findKey(transaction, accountId)) ??
      (await this.begin(transaction, accountId));
    return encrypt(this.unwrapped(wrapped, accountId), plaintext, accountId);
  }

  /** @throws when the key was destroyed or the value is another account's. */
  async decrypt(transaction: Transaction, accountId: string, encrypted: Buffer): Promise<Buffer> {
    const wrapped = await this.keys.findKey(transaction, accountId);
    if (!wrapped) throw new Error(`the invoice data key of account ${accountId} is destroyed`);
    return decrypt(this.unwrapped(wrapped, accountId), encrypted, accountId);
  }

  private async begin(transaction: Transaction, accountId: string): Promise<Buffer> {
    const wrapped = encrypt(this.wrappingKey, randomBytes(DATA_KEY_BYTES), accountId);
    return this.keys.put(transaction, accountId, wrapped, this.clock.now());
  }

  private unwrapped(wrapped: Buffer, accountId: string): Buffer {
    return decrypt(this.wrappingKey, wrapped, accountId);
  }
}
