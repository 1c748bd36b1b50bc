import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { PROVIDER_NAMES, type Provider } from '#libs/contracts';
import type { Transaction } from '#libs/database';
import { Clock, newId } from '#libs/platform';
import { AccountConfig } from '../account.config.js';
import type { Actor } from '../audit/actor.js';
import { OwnerMailService } from '../people/owner-mail.service.js';
import { PersonalDataService } from '../personal-data/personal-data.service.js';
import { IdentityTaken } from './identities.errors.js';
import {
  IdentitiesBySubjectMaintenanceRepository,
  IdentitiesRepository,
} from './identities.repository.js';
import type { Identity } from './identity.entity.js';
import { identityMail } from './identity-mail.js';
import type { PendingIdentity } from '../log-in-steps/step-contents.js';

/** Manages the identities at other providers that owners can log in with. */
@Injectable()
export class IdentitiesService {
  constructor(
    private readonly identities: IdentitiesRepository,
    private readonly bySubject: IdentitiesBySubjectMaintenanceRepository,
    private readonly personalData: PersonalDataService,
    private readonly mail: OwnerMailService,
    private readonly clock: Clock,
    private readonly config: AccountConfig,
  ) {}

  async find(of: PendingIdentity): Promise<Pick<Identity, 'accountId' | 'personId'> | null> {
    return this.bySubject.find(this.hashOf(of));
  }

  /** Records a log-in with an identity. @returns false if the identity was removed in the meantime. */
  async noteUsed(
    transaction: Transaction,
    accountId: string,
    of: PendingIdentity,
  ): Promise<boolean> {
    return this.identities.noteUsed(transaction, accountId, this.hashOf(of), this.clock.now());
  }

  /**
   * Connects an identity to the person, and notifies the owner unless `isTold` is false.
   * @throws IdentityTaken.
   */
  async link(
    transaction: Transaction,
    { accountId, personId }: Pick<Actor, 'accountId' | 'personId'>,
    pending: PendingIdentity,
    isTold = true,
  ): Promise<void> {
    const { provider, address = '' } = pending;
    const now = this.clock.now();
    const isFree = await this.identities.insert(transaction, {
      id: newId(),
      accountId,
      personId,
      provider,
      subjectHash: this.hashOf(pending),
      details: await this.personalData.encrypt(transaction, accountId, address),
      createdAt: now,
      lastUsedAt: now,
    });
    if (!isFree) {
      // Another browser of this person may have connected the identity while this one waited for the log-in.
      if ((await this.find(pending))?.personId === personId) return;
      throw new IdentityTaken();
    }
    if (isTold) {
      await this.mail.send(transaction, accountId, identityMail('connected', nameOf(provider)));
    }
  }

  async list(
    transaction: Transaction,
    accountId: string,
  ): Promise<(Identity & { address: string })[]> {
    const found: (Identity & { address: string })[] = [];
    for (const identity of await this.identities.list(transaction, accountId)) {
      const { details } = identity;
      const address = await this.personalData.decrypt<string>(transaction, accountId, details);
      found.push(Object.assign(identity, { address }));
    }
    return found;
  }

  /** Removes an identity and notifies the owner. */
  async remove(transaction: Transaction, accountId: string, identity: Identity): Promise<void> {
    await this.identities.delete(transaction, accountId, identity.id);
    const name = nameOf(identity.provider as Provider);
    await this.mail.send(transaction, accountId, identityMail('removed', name));
  }

  /** Removes every identity and notifies the owner of each removal. */
  async removeAll(transaction: Transaction, accountId: string): Promise<void> {
    for (const identity of await this.identities.list(transaction, accountId)) {
      await this.remove(transaction, accountId, identity);
    }
  }

  /** Deletes the identities as part of the account's erasure. */
  async forget(transaction: Transaction, accountId: string): Promise<void> {
    await this.identities.deleteAll(transaction, accountId);
  }

  private hashOf({ provider, subject }: PendingIdentity): Buffer {
    const text = `identity\n${provider}\n${subject}`;
    return createHmac('sha256', this.config.addressPepper).update(text).digest();
  }
}

const nameOf = (provider: Provider) => PROVIDER_NAMES[provider];
