import { Injectable } from '@nestjs/common';
import {
  ApiKeyChanged,
  type AskedPage,
  type CreateKeyRequest,
  DEFAULT_SCOPES,
  type IssuedKeyAnswer,
  type KeyAnswer,
  type KeyEnvironment,
  type KeysAnswer,
  type ReissueKeyRequest,
  type RotateKeyRequest,
  type UpdateKeyRequest,
} from '#libs/contracts';
import type { IdempotentCall, Transaction } from '#libs/database';
import { Outbox } from '#libs/messaging';
import { Clock, InvalidRequest } from '#libs/platform';
import { AccountsService } from '../accounts/accounts.service.js';
import type { Actor, Operator } from '../audit/actor.js';
import { describeKey, withoutValue } from './key-answer.js';
import { KeyChangesService } from './key-changes.service.js';
import { futureDate } from './future-date.js';
import { isJudgedAlike } from './judged-settings.js';
import type { ApiKey } from './key.entity.js';
import { keyStateOf } from './key-state.js';
import { KeyNotReissuable } from './keys.errors.js';
import { KeysRepository } from './keys.repository.js';

/** Manages accounts' API keys, which are shown once and stored as hashes. Commands also throw `runCommand`'s errors. */
@Injectable()
export class KeysService {
  constructor(
    private readonly accounts: AccountsService,
    private readonly keys: KeysRepository,
    private readonly changes: KeyChangesService,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  async list(accountId: string, asked: AskedPage): Promise<KeysAnswer> {
    return this.accounts.transaction(async (transaction) => {
      const [rows, ranks] = await Promise.all([
        this.keys.list(transaction, accountId, asked),
        this.changes.ranksOf(transaction, accountId),
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
      this.changes.answerOf(transaction, await this.changes.find(transaction, accountId, keyId)),
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
      scopes: request.scopes ?? [...DEFAULT_SCOPES],
      allowedAddresses: request.allowed_addresses ?? [],
      dailyCreditCap: request.daily_credit_cap ?? null,
      expiresAt: futureDate(request.expires_at, this.clock) ?? null,
    };
    return this.accounts.runCommand(
      owner.accountId,
      { call, redact: withoutValue },
      (transaction) => this.changes.create(transaction, owner, settings),
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
      expiresAt: futureDate(request.expires_at, this.clock),
    };
    return this.accounts.runCommand(owner.accountId, { call }, async (transaction) => {
      const { key, lock } = await this.changes.lockKey(transaction, owner.accountId, keyId);
      this.changes.checkActive(key);
      const given = Object.entries(changes).filter(([, value]) => value !== undefined);
      const changed = { ...key, ...Object.fromEntries(given) } as ApiKey;
      const answer = await this.changes.answerOf(transaction, changed);
      if (given.length === 0) return answer;
      await this.keys.update(transaction, owner.accountId, keyId, Object.fromEntries(given));
      if (!isJudgedAlike(key, changed)) {
        await this.outbox.add(transaction, lock, ApiKeyChanged, { keyId, state: 'active' });
      }
      await this.changes.record(transaction, owner, 'key.updated', changed, key);
      return answer;
    });
  }

  /** Revokes a key at once, for its owner or an operator. A repeated call changes nothing. @throws NotFound. */
  async revoke(accountId: string, keyId: string, by: Actor | Operator): Promise<KeyAnswer> {
    return this.accounts.runCommand(accountId, {}, async (transaction) => {
      const locked = await this.changes.lockKey(transaction, accountId, keyId);
      return this.changes.revoke(transaction, by, locked);
    });
  }

  /** Rotates a key (`KeyChangesService.rotate`). @throws NotFound, KeyNotActive, TooManyNewKeys, InvalidRequest. */
  async rotate(
    owner: Actor,
    keyId: string,
    { overlap, expires_at }: RotateKeyRequest,
    call?: IdempotentCall,
  ): Promise<IssuedKeyAnswer> {
    const { accountId } = owner;
    const expiresAt = futureDate(expires_at, this.clock);
    return this.accounts.runCommand(
      accountId,
      { call, redact: withoutValue },
      async (transaction) => {
        const locked = await this.changes.lockKey(transaction, accountId, keyId);
        return this.changes.rotate(transaction, owner, locked, { overlap, expiresAt });
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
    const given = futureDate(expires_at, this.clock);
    return this.accounts.runCommand(
      accountId,
      { call, redact: withoutValue },
      async (transaction) => {
        const old = await this.changes.find(transaction, accountId, keyId);
        const hasEnded = ['revoked', 'expired'].includes(keyStateOf(old, this.clock.now()));
        if (!hasEnded || old.replacedBy) throw new KeyNotReissuable();
        if (given === undefined && old.expiresAt && old.expiresAt <= this.clock.now()) {
          const message = 'is required, because this key has expired (null for no expiry)';
          throw new InvalidRequest([{ field: 'expires_at', message }]);
        }
        await this.changes.checkLimit(transaction, owner, old.environment);
        const expiresAt = given === undefined ? old.expiresAt : given;
        const issued = await this.changes.issue(transaction, accountId, { ...old, expiresAt });
        await this.keys.update(transaction, accountId, keyId, { replacedBy: issued.key.id });
        const answer = await this.changes.issuedAnswer(transaction, issued);
        await this.changes.record(transaction, owner, 'key.reissued', issued.key, old);
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
      scopes: [...DEFAULT_SCOPES],
      allowedAddresses: [],
      dailyCreditCap: null,
      expiresAt: null,
    };
    const issueOne = async (environment: KeyEnvironment, name: string) =>
      (await this.changes.issue(transaction, accountId, { ...settings, environment, name })).value;
    const live = await issueOne('live', 'First key');
    return { live, test: await issueOne('test', 'First test key') };
  }

  /** Revokes every key of an account that is being deleted. Restoring the account does not restore the keys. */
  async revokeAll(transaction: Transaction, accountId: string): Promise<void> {
    const revocation = { revokedAt: this.clock.now(), revokedBecause: 'deletion' } as const;
    for (const { id: keyId } of await this.keys.listUnrevoked(transaction, accountId)) {
      const lock = await this.changes.lockAggregate(transaction, accountId, keyId);
      await this.keys.revoke(transaction, accountId, keyId, revocation);
      await this.outbox.add(transaction, lock, ApiKeyChanged, { keyId, state: 'revoked' });
    }
  }

  /** Removes the texts that the owner entered. Hashes stay, so that gateways recognise keys of erased accounts. */
  async scrub(transaction: Transaction, accountId: string): Promise<void> {
    await this.keys.scrub(transaction, accountId);
  }
}
