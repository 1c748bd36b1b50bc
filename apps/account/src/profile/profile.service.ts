import { Injectable } from '@nestjs/common';
import type { ProfileAnswer, UpdateProfileRequest } from '#libs/contracts';
import { AccountsService } from '../accounts/accounts.service.js';
import { AuditService } from '../audit/audit.service.js';
import { PeopleService } from '../people/people.service.js';
import type { ActiveSession } from '../sessions/session-guard.js';

@Injectable()
export class ProfileService {
  constructor(
    private readonly accounts: AccountsService,
    private readonly people: PeopleService,
    private readonly audit: AuditService,
  ) {}

  async get({ accountId, personId }: ActiveSession): Promise<ProfileAnswer> {
    return this.accounts.transaction(async (transaction) => {
      const account = await this.accounts.get(transaction, accountId);
      const { details } = await this.people.get(transaction, accountId, personId);
      return {
        id: accountId,
        state: account.state,
        first_name: details.firstName,
        email: details.address,
        created_at: account.createdAt.toISOString(),
      };
    });
  }

  async update(owner: ActiveSession, request: UpdateProfileRequest): Promise<ProfileAnswer> {
    const { accountId, personId } = owner;
    await this.accounts.runCommand(accountId, {}, async (transaction) => {
      const { details } = await this.people.get(transaction, accountId, personId);
      const changed = { ...details, firstName: request.first_name };
      await this.people.setDetails(transaction, accountId, personId, changed);
      await this.audit.record(transaction, {
        by: owner,
        action: 'profile.updated',
        object: `person:${personId}`,
        before: details,
        after: changed,
      });
      return changed;
    });
    return this.get(owner);
  }
}
