import { Injectable } from '@nestjs/common';
import {
  ApiKeyChanged,
  type AskedPage,
  type CreateKeyRequest,
  SCOPES,
  type IssuedKeyAnswer,
  type KeyAnswer,
  type KeyEnvironment,
  type KeysAnswer,
  type ReissueKeyRequest,
  type RotateKeyRequest,
  type UpdateKeyRequest,
  generateApiKey,
  hashApiKey,
} from '#libs/contracts';
import type { IdempotentCall, Transaction } from '#libs/database';
import { type AggregateLock, Outbox } from '#libs/messaging';
import { Clock, DAY_MS, HOUR_MS, InvalidRequest, NotFound, isId, newId } from '#libs/platform';
import { AccountConfig } from '../account.config.js';
import { AccountsService } from '../accounts/accounts.service.js';
import type { Actor, Operator } from '../audit/actor.js';
import { AuditService } from '../audit/audit.service.js';
import { describeKey, withoutValue } from './key-answer.js';
import { isJudgedAlike } from './judged-settings.js';
import type { ApiKey } from './key.entity.js';
import { KEYS_MAX, NEW_KEYS_PER_DAY_MAX } from './key-limits.js';
import { keyStateOf } from './key-state.js';
import { KeyLimitReached, KeyNotActive, KeyNotReissuable, TooManyNewKeys } from './keys.errors.js';
import { KeysRepository, type NewKey } from './keys.repository.js';

type KeySettings = Pick<
  ApiKey,
  'environment' | 'name' | 'scopes' | 'allowedAddresses' | 'dailyCreditCap' | 'expiresAt'
>;

/** A key that was just created, with the only copy of its value. */
interface IssuedKey {
  key: NewKey;
  value: string;
}

const OVERLAP_MS = { now: 0, '1h': HOUR_MS, '24h': DAY_MS, '7d': 7 * DAY_MS } as const;

/** Manages accounts' API keys, which are shown once and stored as hashes. Commands also throw `runCommand`'s errors. */
@Injectable()
export class KeysService {
  constructor(
    private readonly accounts: AccountsService,
    private readonly keys: KeysRepository,
    private readonly outbox: Outbox,
    private readonly audit: AuditService,
    private readonly clock: Clock,
    private readonly config: AccountConfig,
  ) {}

  async list(accountId: string, asked: AskedPage): Promise<KeysAnswer> {
    return this.accounts.transaction(async (transaction) => {
      const [rows, ranks] = await Promise.all([
        this.keys.list(transaction, accountId, asked),
        this.ranksOf(transaction, accountId),
      ]);
      const { items, paging } = asked.cut(rows, ({ id }) => [id]);
      const now = this.clock.now();
      const keys = items.map((key) => ({ ...describeKey(key, now), rank: ranks(key.id) }));
      return { keys, paging };
    });
  }

  /** @throws NotFound. */
  async get(accountId: string, keyId: string): Promise<KeyAnswer> {
    return this.accounts.transaction(async (transaction) =>
      this.answerOf(transaction, await this.find(transaction, accountId, keyId)),
    );
  }

  /** Creates a key, paused if it exceeds the plan's limit. @throws KeyLimitReached, TooManyNewKeys, InvalidRequest. */
  async create(
    owner: Actor,
    request: CreateKeyRequest,
    call?: IdempotentCall,
  ): Promise<IssuedKeyAnswer> {
    const settings = {
      environment: request.environment,
      name: request.name,
      scopes: request.scopes ?? [...SCOPES],
      allowedAddresses: request.allowed_addresses ?? [],
      dailyCreditCap: request.daily_credit_cap ?? null,
      expiresAt: this.futureDate(request.expires_at) ?? null,
    };
    return this.accounts.runCommand(
      owner.accountId,
      { call, redact: withoutValue },
      async (transaction) => {
        await this.checkLimit(transaction, owner.accountId, request.environment);
        const issued = await this.issue(transaction, owner.accountId, settings);
        const answer = await this.issuedAnswer(transaction, issued);
        await this.record(transaction, owner, 'key.created', issued.key);
        return answer;
      },
    );
  }

  /** @throws NotFound, KeyNotActive, InvalidRequest. */
  async update(
    owner: Actor,
    keyId: string,
    request: UpdateKeyRequest,
    call?: IdempotentCall,
  ): Promise<KeyAnswer> {
    const changes = {
      name: request.name,
      scopes: request.scopes,
      allowedAddresses: request.allowed_addresses,
      dailyCreditCap: request.daily_credit_cap,
      expiresAt: this.futureDate(request.expires_at),
    };
    return this.accounts.runCommand(owner.accountId, { call }, async (transaction) => {
      const { key, lock } = await this.lockKey(transaction, owner.accountId, keyId);
      this.checkActive(key);
      const given = Object.entries(changes).filter(([, value]) => value !== undefined);
      const changed = { ...key, ...Object.fromEntries(given) } as ApiKey;
      const answer = await this.answerOf(transaction, changed);
      if (given.length === 0) return answer;
      await this.keys.update(transaction, owner.accountId, keyId, Object.fromEntries(given));
      if (!isJudgedAlike(key, changed)) {
        await this.outbox.add(transaction, lock, ApiKeyChanged, { keyId, state: 'active' });
      }
      await this.record(transaction, owner, 'key.updated', changed, key);
      return answer;
    });
  }

  /** Revokes a key at once, for its owner or an operator. A repeated call changes nothing. @throws NotFound. */
  async revoke(accountId: string, keyId: string, by: Actor | Operator): Promise<KeyAnswer> {
    return this.accounts.runCommand(accountId, {}, async (transaction) => {
      const { key, lock } = await this.lockKey(transaction, accountId, keyId);
      if (key.revokedAt) return this.answerOf(transaction, key);
      const revocation = { revokedAt: this.clock.now(), revokedBecause: 'owner' } as const;
      await this.keys.revoke(transaction, accountId, keyId, revocation);
      await this.outbox.add(transaction, lock, ApiKeyChanged, { keyId, state: 'revoked' });
      const revoked = { ...key, ...revocation };
      const answer = await this.answerOf(transaction, revoked);
      await this.record(transaction, by, 'key.revoked', revoked, key);
      return answer;
    });
  }

  /**
   * Replaces a key with a new one that has the same settings, rank and, unless the request sets another, expiry. The
   * old key works until the overlap ends or it expires, but no longer counts towards the plan. If the old key itself
   * replaced another key, that key ends now, so that at most two keys work at a time (S6).
   * @throws NotFound, KeyNotActive, TooManyNewKeys, InvalidRequest.
   */
  async rotate(
    owner: Actor,
    keyId: string,
    { overlap, expires_at }: RotateKeyRequest,
    call?: IdempotentCall,
  ): Promise<IssuedKeyAnswer> {
    const { accountId } = owner;
    const given = this.futureDate(expires_at);
    return this.accounts.runCommand(
      accountId,
      { call, redact: withoutValue },
      async (transaction) => {
        const { key: old, lock } = await this.lockKey(transaction, accountId, keyId);
        this.checkActive(old);
        await this.checkPace(transaction, accountId);
        const now = this.clock.now();
        await this.endOverlapOf(transaction, old, now);
        const expiresAt = given === undefined ? old.expiresAt : given;
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
        await this.record(transaction, owner, 'key.rotated', issued.key, old);
        return answer;
      },
    );
  }

  /**
   * Reissues a revoked or expired key, once: creates a key with the same name, scopes and limits, for example after the
   * account has been restored. If the old key's expiry has passed, the request must contain a new expiry, or null.
   * @throws NotFound, KeyNotReissuable, KeyLimitReached, TooManyNewKeys, InvalidRequest.
   */
  async reissue(
    owner: Actor,
    keyId: string,
    { expires_at }: ReissueKeyRequest,
    call?: IdempotentCall,
  ): Promise<IssuedKeyAnswer> {
    const { accountId } = owner;
    const given = this.futureDate(expires_at);
    return this.accounts.runCommand(
      accountId,
      { call, redact: withoutValue },
      async (transaction) => {
        const old = await this.find(transaction, accountId, keyId);
        const hasEnded = ['revoked', 'expired'].includes(keyStateOf(old, this.clock.now()));
        if (!hasEnded || old.replacedBy) throw new KeyNotReissuable();
        if (given === undefined && old.expiresAt && old.expiresAt <= this.clock.now()) {
          const message = 'is required, because this key has expired (null for no expiry)';
          throw new InvalidRequest([{ field: 'expires_at', message }]);
        }
        await this.checkLimit(transaction, accountId, old.environment);
        const expiresAt = given === undefined ? old.expiresAt : given;
        const issued = await this.issue(transaction, accountId, { ...old, expiresAt });
        await this.keys.update(transaction, accountId, keyId, { replacedBy: issued.key.id });
        const answer = await this.issuedAnswer(transaction, issued);
        await this.record(transaction, owner, 'key.reissued', issued.key, old);
        return answer;
      },
    );
  }

  /** Creates the first keys of an account, in the transaction that registers the account. @returns the keys' values. */
  async issueFirst(
    transaction: Transaction,
    accountId: string,
  ): Promise<{ live: string; test: string }> {
    const settings = {
      scopes: [...SCOPES],
      allowedAddresses: [],
      dailyCreditCap: null,
      expiresAt: null,
    };
    const issueOne = async (environment: KeyEnvironment, name: string) =>
      (await this.issue(transaction, accountId, { ...settings, environment, name })).value;
    const live = await issueOne('live', 'First key');
    return { live, test: await issueOne('test', 'First test key') };
  }

  /** Revokes every key of an account that is being deleted. Restoring the account does not restore the keys. */
  async revokeAll(transaction: Transaction, accountId: string): Promise<void> {
    const revocation = { revokedAt: this.clock.now(), revokedBecause: 'deletion' } as const;
    for (const { id: keyId } of await this.keys.listUnrevoked(transaction, accountId)) {
      const lock = await this.lockAggregate(transaction, accountId, keyId);
      await this.keys.revoke(transaction, accountId, keyId, revocation);
      await this.outbox.add(transaction, lock, ApiKeyChanged, { keyId, state: 'revoked' });
    }
  }

  /** Removes the texts that the owner entered. Hashes stay, so that gateways recognise keys of erased accounts. */
  async scrub(transaction: Transaction, accountId: string): Promise<void> {
    await this.keys.scrub(transaction, accountId);
  }

  private async issue(
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

  private async answerOf(transaction: Transaction, key: NewKey): Promise<KeyAnswer> {
    const ranks = await this.ranksOf(transaction, key.accountId);
    return { ...describeKey(key, this.clock.now()), rank: ranks(key.id) };
  }

  private async issuedAnswer(
    transaction: Transaction,
    { key, value }: IssuedKey,
  ): Promise<IssuedKeyAnswer> {
    return { ...(await this.answerOf(transaction, key)), key: value };
  }

  /** Returns a function from the id of a current live key to its rank, and from any other id to null. */
  private async ranksOf(
    transaction: Transaction,
    accountId: string,
  ): Promise<(keyId: string) => number | null> {
    const ids = await this.keys.listCurrent(transaction, accountId, 'live');
    return (keyId) => (ids.includes(keyId) ? ids.indexOf(keyId) + 1 : null);
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

  private async checkLimit(
    transaction: Transaction,
    accountId: string,
    environment: KeyEnvironment,
  ): Promise<void> {
    const limit = KEYS_MAX[environment];
    const current = await this.keys.listCurrent(transaction, accountId, environment);
    if (current.length >= limit) throw new KeyLimitReached(environment, limit);
    await this.checkPace(transaction, accountId);
  }

  /** Keys created before the account's recovery do not count. @throws TooManyNewKeys for too many within 24 hours. */
  private async checkPace(transaction: Transaction, accountId: string): Promise<void> {
    const { takenBackAt } = await this.accounts.get(transaction, accountId);
    const since = Math.max(this.clock.now().getTime() - DAY_MS, takenBackAt?.getTime() ?? 0);
    const before = NEW_KEYS_PER_DAY_MAX - 1;
    if (await this.keys.hasMadeMore(transaction, accountId, before, new Date(since))) {
      throw new TooManyNewKeys(NEW_KEYS_PER_DAY_MAX);
    }
  }

  private checkActive(key: ApiKey): void {
    if (keyStateOf(key, this.clock.now()) !== 'active') throw new KeyNotActive();
  }

  private async lockKey(
    transaction: Transaction,
    accountId: string,
    keyId: string,
  ): Promise<{ key: ApiKey; lock: AggregateLock }> {
    if (!isId(keyId)) throw new NotFound();
    const lock = await this.lockAggregate(transaction, accountId, keyId);
    return { key: await this.find(transaction, accountId, keyId), lock };
  }

  private lockAggregate(
    transaction: Transaction,
    accountId: string,
    keyId: string,
  ): Promise<AggregateLock> {
    return this.outbox.lock(transaction, { key: accountId, aggregate: `key:${keyId}` });
  }

  /** @throws NotFound, including for a key of another account (S85). */
  private async find(transaction: Transaction, accountId: string, keyId: string): Promise<ApiKey> {
    const key = isId(keyId) ? await this.keys.find(transaction, accountId, keyId) : null;
    if (!key) throw new NotFound();
    return key;
  }

  /** Null clears the date, and undefined keeps it. @throws InvalidRequest for a date that is not in the future. */
  private futureDate(text: string | null | undefined): Date | null | undefined {
    if (text === null || text === undefined) return text;
    const date = new Date(text);
    if (date > this.clock.now()) return date;
    throw new InvalidRequest([{ field: 'expires_at', message: 'must be in the future' }]);
  }

  private async record(
    transaction: Transaction,
    by: Actor | Operator,
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
}
