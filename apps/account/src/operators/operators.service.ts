import { Injectable } from '@nestjs/common';
import type { AccountMatch, AccountSummary, SuspensionAnswer } from '#libs/contracts';
import { NotFound, isId } from '#libs/platform';
import { AccountsService } from '../accounts/accounts.service.js';
import type { Operator } from '../audit/actor.js';
import { AuditService } from '../audit/audit.service.js';
import { KeyRecordService } from '../key-records/key-records.service.js';
import { PeopleService } from '../people/people.service.js';
import { SecondFactorsService } from '../second-factor/second-factors.service.js';
import { AuditedRequestsMaintenanceRepository } from './audited-requests.repository.js';
import type { OperatorOrderRequest } from './operators.dto.js';
import { INSPECTION } from './timeline.repository.js';

/** The last four characters of a key, as the dashboard shows them, or a whole key, of which only these are used. */
const KEY_ENDING = /^(?:dds_(?:live|test)_[0-9A-Za-z]*)?(?:…|\.\.\.)?([0-9A-Za-z]{4})$/;

@Injectable()
export class OperatorsService {
  constructor(
    private readonly accounts: AccountsService,
    private readonly people: PeopleService,
    private readonly keys: KeyRecordService,
    private readonly audit: AuditService,
    private readonly factors: SecondFactorsService,
    private readonly requests: AuditedRequestsMaintenanceRepository,
  ) {}

  /** Finds accounts by an e-mail address, an account id, a request id or the last four characters of a key. */
  async find(text: string): Promise<AccountMatch[]> {
    if (isId(text as unknown)) return this.findById(text);
    if (text.startsWith('req_')) return this.findByRequest(text);
    if (text.includes('@')) return this.findByAddress(text);
    const [, lastFour] = KEY_ENDING.exec(text) ?? [];
    if (!lastFour) return [];
    const keys = await this.keys.findByEnding(lastFour);
    return keys.map(({ accountId, keyId, name, isRevoked }) => ({
      accountId,
      matched: `${isRevoked ? 'revoked key' : 'key'} ${keyId} "${name}"`,
    }));
  }

  /**
   * Returns an account's state with its owner's name and address, and records this access in the audit log. @throws
   * NotFound.
   */
  async inspect(accountId: string, by: Operator): Promise<AccountSummary> {
    return this.accounts.transaction(async (transaction) => {
      const account = await this.accounts.get(transaction, accountId);
      const owner = await this.people.findOwner(transaction, accountId);
      await this.audit.record(transaction, {
        by,
        accountId,
        action: INSPECTION,
        object: `account:${accountId}`,
      });
      const { state, createdAt, deletedAt, restoreUntil, suspendedAt, suspendedBecause } = account;
      return {
        accountId,
        state,
        email: owner?.address ?? null,
        firstName: owner?.firstName ?? null,
        createdAt: createdAt.toISOString(),
        deletedAt: deletedAt?.toISOString(),
        suspendedAt: suspendedAt?.toISOString(),
        suspendedBecause: suspendedBecause ?? undefined,
        restorableUntil: state === 'deleted' ? restoreUntil?.toISOString() : undefined,
      };
    });
  }

  /** Suspends an account: from now on, requests with its keys get 403. @throws NotFound. */
  async suspend(accountId: string, by: Operator, reason: string): Promise<SuspensionAnswer> {
    return this.accounts.transaction(async (transaction) => {
      const hasChanged = await this.accounts.setSuspension(transaction, accountId, reason);
      const object = `account:${accountId}`;
      const after = { reason };
      await this.audit.record(transaction, {
        by,
        accountId,
        action: 'account.suspended',
        object,
        after,
      });
      return { hasChanged };
    });
  }

  /** Ends a suspension and changes nothing else. @throws NotFound. */
  async unsuspend(accountId: string, by: Operator, reason: string): Promise<SuspensionAnswer> {
    return this.accounts.transaction(async (transaction) => {
      const hasChanged = await this.accounts.setSuspension(transaction, accountId, null);
      const object = `account:${accountId}`;
      const after = { reason };
      await this.audit.record(transaction, {
        by,
        accountId,
        action: 'account.unsuspended',
        object,
        after,
      });
      return { hasChanged };
    });
  }

  /**
   * Removes the authenticator app and the recovery codes of an owner who lost the app, and notifies the owner. The
   * password stays the same. @throws NotFound.
   */
  async liftSecondFactor(
    accountId: string,
    by: Operator,
    reason: string,
  ): Promise<SuspensionAnswer> {
    return this.accounts.transaction(async (transaction) => {
      await this.accounts.lock(transaction, accountId);
      const hasChanged = await this.factors.remove(transaction, accountId, 'lifted');
      const entry = { action: 'second-factor.lifted', object: `account:${accountId}` };
      await this.audit.record(transaction, { by, accountId, ...entry, after: { reason } });
      return { hasChanged };
    });
  }

  /**
   * Records an action in the audit log before another service carries it out. @throws NotFound for an unknown account.
   */
  async note(accountId: string | undefined, request: OperatorOrderRequest): Promise<void> {
    const { operator, order, object, reason } = request;
    if (accountId !== undefined && !isId(accountId)) throw new NotFound();
    await this.accounts.transaction(async (transaction) => {
      if (accountId !== undefined) await this.accounts.get(transaction, accountId);
      const action = `operator.${order}`;
      const by = { operator };
      await this.audit.record(transaction, { by, accountId, action, object, after: { reason } });
    });
  }

  private async findById(accountId: string): Promise<AccountMatch[]> {
    const account = await this.accounts.transaction((transaction) =>
      this.accounts.find(transaction, accountId),
    );
    return account ? [{ accountId, matched: 'account id' }] : [];
  }

  private async findByRequest(requestId: string): Promise<AccountMatch[]> {
    const entries = await this.requests.find(requestId);
    return entries.map(({ accountId, action }) => ({
      accountId,
      matched: `request ${requestId} of the dashboard (${action})`,
    }));
  }

  private async findByAddress(address: string): Promise<AccountMatch[]> {
    const person = await this.people.findByAddress(address, '');
    return person ? [{ accountId: person.accountId, matched: 'e-mail' }] : [];
  }
}
