import { Injectable } from '@nestjs/common';
import {
  type CreateKeyRequest,
  type IssuedAccountKeyAnswer,
  type IssuedKeyAnswer,
  KEYS_SCOPE,
  type RotateKeyRequest,
} from '#libs/contracts';
import type { IdempotentCall, Transaction } from '#libs/database';
import { Clock } from '#libs/platform';
import { AccountsService } from '../accounts/accounts.service.js';
import type { KeyActor } from '../audit/actor.js';
import { futureDate } from '../keys/future-date.js';
import { describeKey, withoutValue } from '../keys/key-answer.js';
import { KeyChangesService, type KeySettings, type Tell } from '../keys/key-changes.service.js';
import type { ApiKey } from '../keys/key.entity.js';
import { keyStateOf } from '../keys/key-state.js';
import { OwnerMailService } from '../people/owner-mail.service.js';
import {
  CallingKeyNotActive,
  KeyRightsExceeded,
  KeysScopeDenied,
} from './key-management.errors.js';
import { type KeyChange, keyMail } from './key-mail.js';
import { type KeyRights, excessOf, givenScopes } from './key-rights.js';

/** A command that a key runs: its transaction, the calling key, and how the owner is told of the change. */
interface KeyCommand {
  transaction: Transaction;
  caller: ApiKey;
  tell: Tell;
}

/**
 * Manages keys for a key with the scope `keys:write`. No key can get more rights in this way than the calling key has,
 * and the owner gets an e-mail about each change (S131). Commands also throw `runCommand`'s errors, and
 * CallingKeyNotActive or KeysScopeDenied if the calling key may no longer change keys, for example because it was just
 * replaced.
 */
@Injectable()
export class KeyManagementService {
  constructor(
    private readonly accounts: AccountsService,
    private readonly changes: KeyChangesService,
    private readonly mail: OwnerMailService,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates a key. What the request omits is as in the calling key.
   * @throws KeyRightsExceeded, KeyLimitReached, TooManyNewKeys, InvalidRequest.
   */
  async create(
    by: KeyActor,
    request: CreateKeyRequest,
    call?: IdempotentCall,
  ): Promise<IssuedAccountKeyAnswer> {
    const expiresAt = futureDate(request.expires_at, this.clock);
    return this.run(by, 'created', call, async ({ transaction, caller, tell }) => {
      const wanted: KeySettings = {
        environment: request.environment,
        name: request.name,
        scopes: request.scopes ?? givenScopes(caller),
        allowedAddresses: request.allowed_addresses ?? caller.allowedAddresses,
        dailyCreditCap: request.daily_credit_cap ?? null,
        expiresAt: expiresAt === undefined ? caller.expiresAt : expiresAt,
      };
      checkUncapped(caller);
      checkScopes(wanted);
      checkRights(caller, wanted);
      return this.changes.create(transaction, by, wanted, tell);
    });
  }

  /**
   * Rotates the calling key, whose replacement may expire later, or a key that has no more rights.
   * @throws NotFound, KeyRightsExceeded, KeyNotActive, TooManyNewKeys, InvalidRequest.
   */
  async rotate(
    by: KeyActor,
    keyId: string,
    { overlap, expires_at }: RotateKeyRequest,
    call?: IdempotentCall,
  ): Promise<IssuedAccountKeyAnswer> {
    const expiresAt = futureDate(expires_at, this.clock);
    return this.run(by, 'rotated', call, async ({ transaction, caller, tell }) => {
      const locked = await this.changes.lockKey(transaction, by.accountId, keyId);
      const { key } = locked;
      if (key.id !== caller.id) {
        checkUncapped(caller);
        checkRights(caller, key);
        if (expiresAt !== undefined) checkRights(caller, { ...key, expiresAt });
      }
      return this.changes.rotate(transaction, by, locked, { overlap, expiresAt }, tell);
    });
  }

  /** Revokes any key of the account, also the calling key. A repeated call changes nothing. @throws NotFound. */
  async revoke(by: KeyActor, keyId: string): Promise<IssuedAccountKeyAnswer> {
    return this.run(by, 'revoked', undefined, async ({ transaction, tell }) => {
      const locked = await this.changes.lockKey(transaction, by.accountId, keyId);
      return this.changes.revoke(transaction, by, locked, { tell });
    });
  }

  private async run(
    by: KeyActor,
    change: KeyChange,
    call: IdempotentCall | undefined,
    work: (command: KeyCommand) => Promise<IssuedKeyAnswer>,
  ): Promise<IssuedAccountKeyAnswer> {
    const { accountId } = by;
    const answer = await this.accounts.runCommand(
      accountId,
      { call, redact: withoutValue },
      async (transaction) => {
        const caller = await this.callerOf(transaction, by);
        const tell: Tell = (changed, rotated = caller) => {
          const now = this.clock.now();
          const [key, calling, old] = [changed, caller, rotated].map((one) =>
            describeKey(one, now),
          );
          const mail = keyMail(change, key, calling, old);
          return this.mail.send(transaction, accountId, mail);
        };
        return work({ transaction, caller, tell });
      },
    );
    return { status: true, ...answer };
  }

  /** Reads the calling key again: it may have changed since the gateway read its rights. */
  private async callerOf(
    transaction: Transaction,
    { accountId, keyId }: KeyActor,
  ): Promise<ApiKey> {
    const caller = await this.changes.known(transaction, accountId, keyId);
    if (!caller || keyStateOf(caller, this.clock.now()) !== 'active') {
      throw new CallingKeyNotActive();
    }
    if (!caller.scopes.includes(KEYS_SCOPE)) throw new KeysScopeDenied();
    return caller;
  }
}

/** A cap is counted per key, so a capped key with a second key could spend more than its cap. */
function checkUncapped({ dailyCreditCap }: ApiKey): void {
  if (dailyCreditCap === null) return;
  throw new KeyRightsExceeded(
    'A key with a daily cap cannot create keys, and can rotate only itself',
  );
}

function checkScopes({ scopes }: KeySettings): void {
  if (scopes.length === 0) {
    throw new KeyRightsExceeded(
      `The key has no scope except "${KEYS_SCOPE}", which it cannot give`,
    );
  }
  if (scopes.includes(KEYS_SCOPE)) {
    throw new KeyRightsExceeded(`Only the dashboard gives a key the scope "${KEYS_SCOPE}"`);
  }
}

function checkRights(caller: ApiKey, wanted: KeyRights): void {
  const excess = excessOf(caller, wanted);
  if (excess) throw new KeyRightsExceeded(`The key cannot give more rights than it has: ${excess}`);
}
