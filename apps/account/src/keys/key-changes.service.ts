import { Injectable } from '@nestjs/common';
import {
  ApiKeyChanged,
  type IssuedKeyAnswer,
  type KeyAnswer,
  type KeyEnvironment,
  type Overlap,
  type RevocationCause,
  generateApiKey,
  hashApiKey,
} from '#libs/contracts';
import type { Transaction } from '#libs/database';
import { type AggregateLock, Outbox } from '#libs/messaging';
import { Clock, DAY_MS, HOUR_MS, NotFound, isId, newId } from '#libs/platform';
import { AccountConfig } from '../account.config.js';
import { AccountsService } from '../accounts/accounts.service.js';
import type { Actor, KeyActor, Operator } from '../audit/actor.js';
import { AuditService } from '../audit/audit.service.js';
import { describeKey } from './key-answer.js';
import type { ApiKey } from './key.entity.js';
import { KEYS_MAX, NEW_KEYS_PER_DAY_MAX } from './key-limits.js';
import { keyStateOf } from './key-state.js';
import { KeyLimitReached, KeyNotActive, TooManyNewKeys } from './keys.errors.js';
import { KeysRepository, type NewKey } from './keys.repository.js';

export type KeySettings = Pick<
  ApiKey,
  'environment' | 'name' | 'scopes' | 'allowedAddresses' | 'dailyCreditCap' | 'expiresAt'
>;

/** A key that was just created, with the only copy of its value. */
export interface IssuedKey {
  key: NewKey;
  value: string;
}

/** A key whose aggregate is locked. */
export interface LockedKey {
  key: ApiKey;
  lock: AggregateLock;
}

/**
 * Tells the owner of a change, within its transaction. It runs before the audit entry, which must be written last.
 * @param changed the changed key, or the replacement of `rotated`.
 */
export type Tell = (changed: NewKey, rotated?: ApiKey) => Promise<void>;
const tellNobody: Tell = async () => {};

const OVERLAP_MS = { now: 0, '1h': HOUR_MS, '24h': DAY_MS, '7d': 7 * DAY_MS } as const;

/** The changes to keys, each within the transaction of a command that has locked the account. */
@Injectable()
export class KeyChangesService {
  constructor(
    private readonly accounts: AccountsService,
    private readonly keys: KeysRepository,
    private readonly outbox: Outbox,
    private readonly audit: AuditService,
    private readonly clock: Clock,
    private readonly config: AccountConfig,
  ) {}

  /** Creates a key, paused if it exceeds the plan's limit. @throws KeyLimitReached, TooManyNewKeys. */
  async create(
    transaction: Transaction,
    by: Actor | KeyActor,
    settings: KeySettings,
    tell = tellNobody,
  ): Promise<IssuedKeyAnswer> {
    const { accountId } = by;
    await this.checkLimit(transaction, by, settings.environment);
    const issued = await this.issue(transaction, accountId, settings);
    const answer = await this.issuedAnswer(transaction, issued);
    await tell(issued.key);
    await this.record(transaction, by, 'key.created', issued.key);
    return answer;
  }

  /**
   * Replaces a key with a new one that has the same settings, rank and, unless `expiresAt` is given, expiry. The old key
   * works until the overlap ends or it expires, but no longer counts towards the plan. If the old key itself replaced
   * another key, that key ends now, so that at most two keys work at a time (S6).
   * @throws KeyNotActive, TooManyNewKeys.
   */
  async rotate(
    transaction: Transaction,
    by: Actor | KeyActor,
    { key: old, lock }: LockedKey,
    { overlap, expiresAt = old.expiresAt }: { overlap: Overlap; expiresAt?: Date | null },
    tell = tellNobody,
  ): Promise<IssuedKeyAnswer> {
    const { accountId, id: keyId } = old;
    this.checkActive(old);
    await this.checkPace(transaction, by);
    const now = this.clock.now();
    await this.endOverlapOf(transaction, old, now);
    const issued = await this.issue(transaction, accountId, { ...old, expiresAt }, old.ranksAs);
    const end = new Date(now.getTime() + OVERLAP_MS[overlap]);
    await this.keys.update(transaction, accountId, keyId, {
      replacedBy: issued.key.id,
      expiresAt: old.expiresAt && old.expiresAt < end ? old.expiresAt : end,
      ...(overlap === 'now' && { revokedAt: now, revokedBecause: 'rotation' }),
    });
    const state = overlap === 'now' ? 'revoked' : 'active';
    await this.outbox.add(transaction, lock, ApiKeyChanged, { keyId, state });
    const answer = await this.issuedAnswer(transaction, issued);
    await tell(issued.key, old);
    await this.record(transaction, by, 'key.rotated', issued.key, old);
    return answer;
  }

  /** Revokes a key at once. @returns the same answer for a key that is revoked already, and changes nothing. */
  async revoke(
    transaction: Transaction,
    by: Actor | KeyActor | Operator | 'system',
    { key, lock }: LockedKey,
    { tell = tellNobody, because = 'owner' }: { tell?: Tell; because?: RevocationCause } = {},
  ): Promise<KeyAnswer> {
    if (key.revokedAt) return this.answerOf(transaction, key);
    const { accountId, id: keyId } = key;
    const revocation = { revokedAt: this.clock.now(), revokedBecause: because };
    await this.keys.revoke(transaction, accountId, keyId, revocation);
    await this.outbox.add(transaction, lock, ApiKeyChanged, { keyId, state: 'revoked' });
    const revoked = { ...key, ...revocation };
    const answer = await this.answerOf(transaction, revoked);
    await tell(revoked);
    await this.record(transaction, by, 'key.revoked', revoked, key);
    return answer;
  }

  /**
   * Stores a new key, with its event.
   * @param ranksAs the first key in its chain of rotations, whose age decides the rank; by default, the new key itself.
   */
  async issue(
    transaction: Transaction,
    accountId: string,
    settings: KeySettings,
    ranksAs?: string,
  ): Promise<IssuedKey> {
    const value = generateApiKey(settings.environment);
    const id = newId();
    const now = this.clock.now();
    const key: NewKey = {
      id,
      accountId,
      environment: settings.environment,
      keyHash: Buffer.from(hashApiKey(value, this.config.keyPepper), 'hex'),
      lastFour: value.slice(-4),
      name: settings.name,
      scopes: settings.scopes,
      allowedAddresses: settings.allowedAddresses,
      dailyCreditCap: settings.dailyCreditCap,
      createdAt: now,
      ranksAs: ranksAs ?? id,
      expiresAt: settings.expiresAt,
      lastUsedAt: null,
      replacedBy: null,
      revokedAt: null,
      revokedBecause: null,
    };
    const lock = await this.lockAggregate(transaction, accountId, id);
    await this.keys.insert(transaction, key);
    await this.outbox.add(transaction, lock, ApiKeyChanged, { keyId: id, state: 'active' });
    return { key, value };
  }

  async answerOf(transaction: Transaction, key: NewKey): Promise<KeyAnswer> {
    const ranks = await this.ranksOf(transaction, key.accountId);
    return { ...describeKey(key, this.clock.now()), rank: ranks(key.id) };
  }

  async issuedAnswer(
    transaction: Transaction,
    { key, value }: IssuedKey,
  ): Promise<IssuedKeyAnswer> {
    return { ...(await this.answerOf(transaction, key)), key: value };
  }

  /** Returns a function from the id of a current live key to its rank, and from any other id to null. */
  async ranksOf(
    transaction: Transaction,
    accountId: string,
  ): Promise<(keyId: string) => number | null> {
    const ids = await this.keys.listCurrent(transaction, accountId, 'live');
    return (keyId) => (ids.includes(keyId) ? ids.indexOf(keyId) + 1 : null);
  }

  /** @throws KeyLimitReached, TooManyNewKeys. */
  async checkLimit(
    transaction: Transaction,
    by: Actor | KeyActor,
    environment: KeyEnvironment,
  ): Promise<void> {
    const limit = KEYS_MAX[environment];
    const current = await this.keys.listCurrent(transaction, by.accountId, environment);
    if (current.length >= limit) throw new KeyLimitReached(environment, limit);
    await this.checkPace(transaction, by);
  }

  /** @throws KeyNotActive. */
  checkActive(key: ApiKey): void {
    if (keyStateOf(key, this.clock.now()) !== 'active') throw new KeyNotActive();
  }

  /** @throws NotFound. */
  async lockKey(transaction: Transaction, accountId: string, keyId: string): Promise<LockedKey> {
    if (!isId(keyId)) throw new NotFound();
    const lock = await this.lockAggregate(transaction, accountId, keyId);
    return { key: await this.find(transaction, accountId, keyId), lock };
  }

  lockAggregate(
    transaction: Transaction,
    accountId: string,
    keyId: string,
  ): Promise<AggregateLock> {
    return this.outbox.lock(transaction, { key: accountId, aggregate: `key:${keyId}` });
  }

  /** @throws NotFound, including for a key of another account (S85). */
  async find(transaction: Transaction, accountId: string, keyId: string): Promise<ApiKey> {
    const key = await this.known(transaction, accountId, keyId);
    if (!key) throw new NotFound();
    return key;
  }

  /** Returns a key; null if the account has no such key. */
  async known(transaction: Transaction, accountId: string, keyId: string): Promise<ApiKey | null> {
    return isId(keyId) ? this.keys.find(transaction, accountId, keyId) : null;
  }

  async record(
    transaction: Transaction,
    by: Actor | KeyActor | Operator | 'system',
    action: string,
    after: NewKey,
    before?: ApiKey,
  ): Promise<void> {
    const now = this.clock.now();
    await this.audit.record(transaction, {
      by,
      accountId: after.accountId,
      action,
      object: `key:${before?.id ?? after.id}`,
      before: before && describeKey(before, now),
      after: describeKey(after, now),
    });
  }

  private async endOverlapOf(
    transaction: Transaction,
    { accountId, id: successorId }: ApiKey,
    now: Date,
  ): Promise<void> {
    const earlier = await this.keys.listOverlapping(transaction, accountId, { successorId, now });
    for (const { id: keyId } of earlier) {
      const lock = await this.lockAggregate(transaction, accountId, keyId);
      const revocation = { revokedAt: now, revokedBecause: 'rotation' } as const;
      await this.keys.revoke(transaction, accountId, keyId, revocation);
      await this.outbox.add(transaction, lock, ApiKeyChanged, { keyId, state: 'revoked' });
    }
  }

  /** Keys created before the account's recovery do not count. @throws TooManyNewKeys for too many within 24 hours. */
  private async checkPace(transaction: Transaction, by: Actor | KeyActor): Promise<void> {
    const { accountId } = by;
    const { takenBackAt } = await this.accounts.get(transaction, accountId);
    const since = Math.max(this.clock.now().getTime() - DAY_MS, takenBackAt?.getTime() ?? 0);
    const isByKey = 'keyId' in by;
    const limit = NEW_KEYS_PER_DAY_MAX[isByKey ? 'byKey' : 'byOwner'];
    if (await this.keys.hasMadeMore(transaction, accountId, limit - 1, new Date(since))) {
      throw new TooManyNewKeys(limit, isByKey);
    }
  }
}
