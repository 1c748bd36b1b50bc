import { createHmac, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
import { Clock, DATA_KEY_BYTES, decrypt, derivedKey, encrypt } from '#libs/platform';
import { AccountConfig } from '../account.config.js';
import { DataKeysRepository } from './data-keys.repository.js';

/**
 * Encrypts and decrypts personal data with the account's own data key. Destroying that key makes every copy unreadable
 * at once, including backups of the other tables (S119).
 */
@Injectable()
export class PersonalDataService {
  private readonly wrappingKey: Buffer;
  /** Encrypts the data of visitors without an account. */
  private readonly visitorKey: Buffer;

  constructor(
    private readonly dataKeys: DataKeysRepository,
    private readonly clock: Clock,
    config: AccountConfig,
  ) {
    this.wrappingKey = derivedKey(config.personalDataSecret, 'data keys');
    this.visitorKey = derivedKey(config.personalDataSecret, 'visitors');
  }

  async createKey(transaction: Transaction, accountId: string): Promise<void> {
    const wrappedKey = encrypt(this.wrappingKey, randomBytes(DATA_KEY_BYTES), accountId);
    await this.dataKeys.insert(transaction, accountId, { wrappedKey, createdAt: this.clock.now() });
  }

  /** Destroys the data key. Afterwards, nothing that was encrypted for the account can be read. */
  async destroyKey(transaction: Transaction, accountId: string): Promise<void> {
    await this.dataKeys.delete(transaction, accountId);
  }

  /** Encrypts JSON with the account's data key. @param accountId null for a visitor without an account. */
  async encrypt(
    transaction: Transaction,
    accountId: string | null,
    value: unknown,
  ): Promise<Buffer> {
    const key = await this.keyOf(transaction, accountId);
    return encrypt(key, Buffer.from(JSON.stringify(value)), accountId ?? '');
  }

  /** Decrypts JSON. @throws if the account's data key was destroyed, or the value belongs to another account. */
  async decrypt<T>(
    transaction: Transaction,
    accountId: string | null,
    encrypted: Buffer,
  ): Promise<T> {
    const key = await this.keyOf(transaction, accountId);
    return JSON.parse(decrypt(key, encrypted, accountId ?? '').toString('utf8')) as T;
  }

  /**
   * Returns hashes of JSON values under the account's data key. Hashes without a key would let anybody test guesses at
   * names and addresses, even after the erasure. Once the key is destroyed, nobody can.
   */
  async hashes(
    transaction: Transaction,
    accountId: string | null,
    values: readonly (object | undefined)[],
  ): Promise<(Buffer | null)[]> {
    if (values.every((value) => value === undefined)) return values.map(() => null);
    // Operators' actions may concern an account that was erased.
    const key = (await this.findKey(transaction, accountId)) ?? this.visitorKey;
    return values.map((value) =>
      value === undefined ? null : createHmac('sha256', key).update(JSON.stringify(value)).digest(),
    );
  }

  private async keyOf(transaction: Transaction, accountId: string | null): Promise<Buffer> {
    const key = await this.findKey(transaction, accountId);
    if (!key) throw new Error(`the data key of account ${accountId} is destroyed`);
    return key;
  }

  private async findKey(
    transaction: Transaction,
    accountId: string | null,
  ): Promise<Buffer | undefined> {
    if (accountId === null) return this.visitorKey;
    const wrapped = await this.dataKeys.find(transaction, accountId);
    return wrapped ? decrypt(this.wrappingKey, wrapped, accountId) : undefined;
  }
}
