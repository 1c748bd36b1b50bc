import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
import { Clock, DATA_KEY_BYTES, decrypt, derivedKey, encrypt } from '#libs/platform';
import { BillingConfig } from '../billing.config.js';
import { InvoiceDataDestroyed } from './invoice-encryption.errors.js';
import { InvoiceKeysRepository, type InvoiceYear } from './invoice-keys.repository.js';

/**
 * Encrypts the personal data on invoices with billing's own keys, one per account and year. The keys outlive the
 * account's erasure, because the law requires invoices to be kept for whole years. Destroying the keys of a year makes
 * every copy of its invoices unreadable (S119).
 */
@Injectable()
export class InvoiceEncryptionService {
  private readonly wrappingKey: Buffer;

  constructor(
    private readonly keys: InvoiceKeysRepository,
    private readonly clock: Clock,
    private readonly config: BillingConfig,
  ) {
    this.wrappingKey = derivedKey(config.invoiceDataSecret, 'invoice data keys');
  }

  /** Returns the first year (UTC) whose invoices must still be kept by law. */
  get firstYearKept(): number {
    return this.clock.now().getUTCFullYear() - this.config.invoiceYearsKept;
  }

  /** @throws InvoiceDataDestroyed for a year whose retention is over, so that no key is created for it. */
  checkKept(year: number): void {
    if (year < this.firstYearKept) throw new InvoiceDataDestroyed();
  }

  /** @throws InvoiceDataDestroyed. */
  async encrypt(transaction: Transaction, of: InvoiceYear, plaintext: Buffer): Promise<Buffer> {
    this.checkKept(of.year);
    return this.encryptUnder(transaction, of, plaintext);
  }

  /** Encrypts with the key of the current year. */
  async encryptNow(
    transaction: Transaction,
    accountId: string,
    plaintext: Buffer,
  ): Promise<{ year: number; encrypted: Buffer }> {
    const year = this.clock.now().getUTCFullYear();
    return {
      year,
      encrypted: await this.encryptUnder(transaction, { accountId, year }, plaintext),
    };
  }

  /**
   * @returns null if the key was destroyed.
   * @throws if the value belongs to another account or year.
   */
  async decrypt(
    transaction: Transaction,
    of: InvoiceYear,
    encrypted: Buffer,
  ): Promise<Buffer | null> {
    const wrapped = await this.keys.findKey(transaction, of);
    return wrapped ? decrypt(this.unwrapped(wrapped, of), encrypted, contextOf(of)) : null;
  }

  private async encryptUnder(
    transaction: Transaction,
    of: InvoiceYear,
    plaintext: Buffer,
  ): Promise<Buffer> {
    const wrapped =
      (await this.keys.findKey(transaction, of)) ?? (await this.begin(transaction, of));
    return encrypt(this.unwrapped(wrapped, of), plaintext, contextOf(of));
  }

  private async begin(transaction: Transaction, of: InvoiceYear): Promise<Buffer> {
    const wrapped = encrypt(this.wrappingKey, randomBytes(DATA_KEY_BYTES), contextOf(of));
    return this.keys.put(transaction, of, wrapped, this.clock.now());
  }

  private unwrapped(wrapped: Buffer, of: InvoiceYear): Buffer {
    return decrypt(this.wrappingKey, wrapped, contextOf(of));
  }
}

const contextOf = ({ accountId, year }: InvoiceYear) => `${accountId}/${year}`;
