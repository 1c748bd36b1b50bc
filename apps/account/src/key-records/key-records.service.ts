import { Injectable } from '@nestjs/common';
import { ApiKeyChanged, type KeyRecord } from '#libs/contracts';
import { Outbox } from '#libs/messaging';
import { Clock, DAY_MS, MINUTE_MS, crashPoint, forEachInOrder } from '#libs/platform';
import { KeyRecordMaintenanceRepository } from './key-records.repository.js';

const USED_WRITE_MS = MINUTE_MS;
const EXPIRE_BATCH = 500;
const ENDINGS_MAX = 50;

@Injectable()
export class KeyRecordService {
  constructor(
    private readonly keys: KeyRecordMaintenanceRepository,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  /**
   * Finds a key by its hash, even if it is revoked or expired, because the gateway decides about such keys. @returns
   * null if no key has this hash.
   */
  async find(hash: string): Promise<KeyRecord | null> {
    const nowMs = this.clock.now().getTime();
    const usedSince = new Date(nowMs - (nowMs % DAY_MS));
    const row = await this.keys.find(Buffer.from(hash, 'hex'), { usedSince });
    if (!row) return null;
    const { isRevoked, restoreUntil, dailyCreditCap, expiresAt, ...rest } = row;
    const { ranksAs, lineKeyIds, ...record } = rest;
    return {
      ...record,
      state: isRevoked ? 'revoked' : 'active',
      ...(restoreUntil &&
        row.accountState === 'deleted' && { restorableUntil: restoreUntil.toISOString() }),
      ...(dailyCreditCap !== null && {
        dailyCreditCap,
        capLine: { id: ranksAs, keyIds: lineKeyIds ?? [] },
      }),
      ...(expiresAt && { expiresAt: expiresAt.toISOString() }),
    };
  }

  /** Lists, for operators, at most 50 keys of any account that end in these four characters. */
  async findByEnding(lastFour: string) {
    return this.keys.listByEnding(lastFour, ENDINGS_MAX);
  }

  /** Records the last use, at most once a minute per key (S15). */
  async noteUsed(keyIds: string[]): Promise<void> {
    const now = this.clock.now();
    await this.keys.noteUsed(keyIds, now, new Date(now.getTime() - USED_WRITE_MS));
  }

  /**
   * Retires expired keys, at most 500, and publishes an event for each, because the ranks of other keys change.
   * (Gateways check the expiry themselves, so a key may stop working before that.)
   * @returns how many were retired. @throws AggregateError after all have been tried, if some failed.
   */
  async expireDue(): Promise<number> {
    const now = this.clock.now();
    const due = await this.keys.listExpired(now, EXPIRE_BATCH);
    let retired = 0;
    await forEachInOrder(due, (key) =>
      this.keys.transaction(async (transaction) => {
        const { id: keyId, accountId } = key;
        const lock = await this.outbox.lock(transaction, {
          key: accountId,
          aggregate: `key:${keyId}`,
        });
        if (!(await this.keys.expire(transaction, key, now))) return;
        await this.outbox.add(transaction, lock, ApiKeyChanged, { keyId, state: 'revoked' });
        crashPoint('key-expiry.before-commit');
        retired++;
      }),
    );
    return retired;
  }
}
