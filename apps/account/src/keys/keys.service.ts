import { Injectable } from '@nestjs/common';
import {
  ApiKeyChanged,
  DEFAULT_SCOPES,
  type KeyEnvironment,
  generateApiKey,
  hashApiKey,
} from '#libs/contracts';
import { type IdempotentCall, type Transaction, readCursor, toPage } from '#libs/database';
import { type AggregateLock, Outbox } from '#libs/messaging';
import { Clock, DAY_MS, HOUR_MS, InvalidRequest, NotFound, isId, newId } from '#libs/platform';
import { AccountConfig } from '../account.config.js';
import { AccountsService } from '../accounts/accounts.service.js';
import type { Actor } from '../audit/actor.js';
import { AuditService } from '../audit/audit.service.js';
import type { ApiKey } from './key.entity.js';
import { keyStateOf } from './key-state.js';
import {
  type CreateKeyRequest,
  type IssuedKeyResponse,
  type KeyListResponse,
  type KeyResponse,
  type ListKeysQuery,
  type RotateKeyRequest,
  type UpdateKeyRequest,
  toKeyResponse,
} from './keys.dto.js';
import { KeyLimitReached, KeyNotActive, KeyNotReissuable } from './keys.errors.js';
import { KeysRepository } from './keys.repository.js';

/** What a new key takes from its request or from the key it replaces. */
type KeySettings = Pick<
  ApiKey,
  'environment' | 'name' | 'scopes' | 'allowedAddresses' | 'dailyCreditCap' | 'expiresAt'
>;

export interface IssueTerms {
  /** Live keys that the plan allows. */
  allowance: number;
  call?: IdempotentCall;
}

const TEST_KEYS_MAX = 5;
const PAGE_SIZE = 50;
const OVERLAP_MS = { now: 0, '1h': HOUR_MS, '24h': DAY_MS, '7d': 7 * DAY_MS } as const;

/** The API keys of an account: issued once, shown once, stored as a hash. */
@Injectable()
export class KeysService {
  // oxlint-disable-next-line eslint/max-params -- a constructor may have six
  constructor(
    private readonly accounts: AccountsService,
    private readonly keys: KeysRepository,
    private readonly outbox: Outbox,
    private readonly audit: AuditService,
    private readonly clock: Clock,
    private readonly config: AccountConfig,
  ) {}

  async list(accountId: string, { cursor }: ListKeysQuery): Promise<KeyListResponse> {
    const [beforeId] = cursor === undefined ? [] : (readCursor(cursor, 1) ?? ['']);
    if (beforeId !== undefined && !isId(beforeId)) {
      throw new InvalidRequest([{ field: 'cursor', message: 'is not one of ours' }]);
    }
    const rows = await this.accounts.transaction((transaction) =>
      this.keys.list(transaction, accountId, { beforeId, limit: PAGE_SIZE + 1 }),
    );
    const { items, nextCursor } = toPage(rows, PAGE_SIZE, (key) => [key.id]);
    const now = this.clock.now();
    return { keys: items.map((key) => toKeyResponse(key, now)), next_cursor: nextCursor };
  }

  /** @throws KeyLimitReached above the plan's number of live keys. */
  async create(
    owner: Actor,
    request: CreateKeyRequest,
    { allowance, call }: IssueTerms,
  ): Promise<IssuedKeyResponse> {
    const settings = {
      environment: request.environment,
      name: request.name,
      scopes: request.scopes ?? [...DEFAULT_SCOPES],
      allowedAddresses: request.allowed_addresses ?? [],
      dailyCreditCap: request.daily_credit_cap ?? null,
      expiresAt: this.futureDate(request.expires_at) ?? null,
    };
    return this.accounts.change(
      owner.accountId,
      { call, keep: withoutValue },
      async (transaction) => {
        await this.checkLimit(transaction, owner.accountId, request.environment, allowance);
        const issued = await this.issue(transaction, owner.accountId, settings);
        await this.record(transaction, owner, 'key.created', issued);
        return issued;
      },
    );
  }

  /** @throws NotFound, KeyNotActive. */
  async update(
    owner: Actor,
    keyId: string,
    request: UpdateKeyRequest,
    call?: IdempotentCall,
  ): Promise<KeyResponse> {
    const changes = {
      name: request.name,
      scopes: request.scopes,
      allowedAddresses: request.allowed_addresses,
      dailyCreditCap: request.daily_credit_cap,
      expiresAt: this.futureDate(request.expires_at),
    };
    return this.accounts.change(owner.accountId, { call }, async (transaction) => {
      const { key, lock } = await this.lockKey(transaction, owner.accountId, keyId);
      this.checkActive(key);
      const given = Object.entries(changes).filter(([, value]) => value !== undefined);
      const update: Partial<ApiKey> = Object.fromEntries(given);
      if (given.length > 0) await this.keys.update(transaction, owner.accountId, keyId, update);
      await this.outbox.add(transaction, lock, ApiKeyChanged, { keyId, state: 'active' });
      const response = toKeyResponse({ ...key, ...update }, this.clock.now());
      await this.record(transaction, owner, 'key.updated', response, key);
      return response;
    });
  }

  /** Ends a key at once. A repeat changes nothing. @throws NotFound. */
  async revoke(owner: Actor, keyId: string): Promise<KeyResponse> {
    return this.accounts.change(owner.accountId, {}, async (transaction) => {
      const { key, lock } = await this.lockKey(transaction, owner.accountId, keyId);
      const now = this.clock.now();
      if (key.revokedAt) return toKeyResponse(key, now);
      const revocation = { revokedAt: now, revokedBecause: 'owner' } as const;
      await this.keys.revoke(transaction, owner.accountId, keyId, revocation);
      await this.outbox.add(transaction, lock, ApiKeyChanged, { keyId, state: 'revoked' });
      const response = toKeyResponse({ ...key, ...revocation }, now);
      await this.record(transaction, owner, 'key.revoked', response, key);
      return response;
    });
  }

  /**
   * Puts a new key with the same settings and rank in a key's place. The old one works until the end
   * of the overlap and counts no longer, and the one it replaced ends now: two may work at once (S6).
   * A limited lifetime starts anew.
   * @throws NotFound, KeyNotActive.
   */
  async rotate(
    owner: Actor,
    keyId: string,
    { overlap }: RotateKeyRequest,
    call?: IdempotentCall,
  ): Promise<IssuedKeyResponse> {
    const { accountId } = owner;
    return this.accounts.change(accountId, { call, keep: withoutValue }, async (transaction) => {
      const { key: old, lock } = await this.lockKey(transaction, accountId, keyId);
      this.checkActive(old);
      const now = this.clock.now();
      await this.endOverlapOf(transaction, old, now);
      const lifetimeMs = old.expiresAt && old.expiresAt.getTime() - old.createdAt.getTime();
      const expiresAt = lifetimeMs === null ? null : new Date(now.getTime() + lifetimeMs);
      const issued = await this.issue(transaction, accountId, { ...old, expiresAt }, old.ranksAs);
      const end = new Date(now.getTime() + OVERLAP_MS[overlap]);
      await this.keys.update(transaction, accountId, keyId, {
        replacedBy: issued.id,
        expiresAt: old.expiresAt && old.expiresAt < end ? old.expiresAt : end,
        ...(overlap === 'now' && { revokedAt: now, revokedBecause: 'rotation' }),
      });
      const state = overlap === 'now' ? 'revoked' : 'active';
      await this.outbox.add(transaction, lock, ApiKeyChanged, { keyId, state });
      await this.record(transaction, owner, 'key.rotated', issued, old);
      return issued;
    });
  }

  /**
   * Gives a revoked or expired key a successor with the same name, scopes and limits, once: what is
   * left to do after a restored account. @throws NotFound, KeyNotReissuable, KeyLimitReached.
   */
  async reissue(
    owner: Actor,
    keyId: string,
    { allowance, call }: IssueTerms,
  ): Promise<IssuedKeyResponse> {
    const { accountId } = owner;
    return this.accounts.change(accountId, { call, keep: withoutValue }, async (transaction) => {
      const old = await this.find(transaction, accountId, keyId);
      const hasEnded = ['revoked', 'expired'].includes(keyStateOf(old, this.clock.now()));
      if (!hasEnded || old.replacedBy) throw new KeyNotReissuable();
      await this.checkLimit(transaction, accountId, old.environment, allowance);
      const issued = await this.issue(transaction, accountId, { ...old, expiresAt: null });
      await this.keys.update(transaction, accountId, keyId, { replacedBy: issued.id });
      await this.record(transaction, owner, 'key.reissued', issued, old);
      return issued;
    });
  }

  /** The keys every account begins with, one live and one test. For registration's transaction. */
  async issueFirst(
    transaction: Transaction,
    accountId: string,
  ): Promise<Required<IssuedKeyResponse>[]> {
    const settings = {
      scopes: [...DEFAULT_SCOPES],
      allowedAddresses: [],
      dailyCreditCap: null,
      expiresAt: null,
    };
    const issueOne = (environment: KeyEnvironment, name: string) =>
      this.issue(transaction, accountId, { ...settings, environment, name });
    return [await issueOne('live', 'First key'), await issueOne('test', 'First test key')];
  }

  /** Ends every key of an account that is being deleted; restoring does not bring them back. */
  async revokeAll(transaction: Transaction, accountId: string): Promise<void> {
    const revocation = { revokedAt: this.clock.now(), revokedBecause: 'deletion' } as const;
    for (const { id: keyId } of await this.keys.listUnrevoked(transaction, accountId)) {
      const lock = await this.lockAggregate(transaction, accountId, keyId);
      await this.keys.revoke(transaction, accountId, keyId, revocation);
      await this.outbox.add(transaction, lock, ApiKeyChanged, { keyId, state: 'revoked' });
    }
  }

  /** Erasure: removes what the owner wrote; hashes stay, so that the keys answer "erased". */
  async scrub(transaction: Transaction, accountId: string): Promise<void> {
    await this.keys.scrub(transaction, accountId);
  }

  private async issue(
    transaction: Transaction,
    accountId: string,
    settings: KeySettings,
    ranksAs?: string,
  ): Promise<Required<IssuedKeyResponse>> {
    const value = generateApiKey(settings.environment);
    const now = this.clock.now();
    const id = newId();
    const key: ApiKey = {
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
    return { ...toKeyResponse(key, now), key: value };
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
    allowance: number,
  ): Promise<void> {
    const limit = environment === 'live' ? allowance : TEST_KEYS_MAX;
    const count = await this.keys.count(transaction, accountId, environment);
    if (count >= limit) throw new KeyLimitReached(environment, limit);
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

  /** An id of another account is as unknown as one of none (S85). */
  private async find(transaction: Transaction, accountId: string, keyId: string): Promise<ApiKey> {
    const key = isId(keyId) ? await this.keys.find(transaction, accountId, keyId) : null;
    if (!key) throw new NotFound();
    return key;
  }

  /** Null and undefined pass through: they clear and keep. */
  private futureDate(text: string | null | undefined): Date | null | undefined {
    if (text === null || text === undefined) return text;
    const date = new Date(text);
    if (date > this.clock.now()) return date;
    throw new InvalidRequest([{ field: 'expires_at', message: 'must lie in the future' }]);
  }

  private async record(
    transaction: Transaction,
    by: Actor,
    action: string,
    after: IssuedKeyResponse,
    before?: ApiKey,
  ): Promise<void> {
    const now = this.clock.now();
    await this.audit.record(transaction, {
      by,
      action,
      object: `key:${before?.id ?? after.id}`,
      before: before && toKeyResponse(before, now),
      after: withoutValue(after),
    });
  }
}

function withoutValue(answer: IssuedKeyResponse): IssuedKeyResponse {
  return { ...answer, key: undefined };
}
