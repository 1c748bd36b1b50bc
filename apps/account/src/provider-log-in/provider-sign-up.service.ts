import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
import { Clock, newId } from '#libs/platform';
import { AccountsService } from '../accounts/accounts.service.js';
import type { Actor, Visitor } from '../audit/actor.js';
import { IdentitiesService } from '../identities/identities.service.js';
import type { ProvenIdentity } from '../identities/providers.service.js';
import { KeysService } from '../keys/keys.service.js';
import { PeopleService } from '../people/people.service.js';
import { PersonalDataService } from '../personal-data/personal-data.service.js';

/** The names that forms accept. They contain nothing that a mail program would turn into a link. */
const NAME = /^[\p{L}\p{M}][\p{L}\p{M}\p{N} '’-]{0,49}$/u;
/** Stands for the name of a person without a usable one: "Hello there, …". */
const NAMELESS = 'there';

export class AddressTaken extends Error {}

/**
 * Creates an account for an identity that a provider confirms. The provider has verified the address, so no e-mail is
 * needed.
 */
@Injectable()
export class ProviderSignUpService {
  constructor(
    private readonly accounts: AccountsService,
    private readonly people: PeopleService,
    private readonly personalData: PersonalDataService,
    private readonly keys: KeysService,
    private readonly identities: IdentitiesService,
    private readonly clock: Clock,
  ) {}

  /** Registers the account. @throws AddressTaken, IdentityTaken if either was registered in the meantime. */
  async register(
    transaction: Transaction,
    identity: ProvenIdentity & { address: string },
    visitor: Visitor,
  ): Promise<{ actor: Actor; keys: { live: string; test: string } }> {
    const { address, name } = identity;
    const actor = { accountId: newId(), personId: newId(), visitor };
    const { accountId, personId } = actor;
    await this.personalData.createKey(transaction, accountId);
    await this.accounts.register(transaction, accountId, this.people.trialClaim(address));
    const details = { firstName: NAME.test(name) ? name : NAMELESS, address };
    const isFirst = await this.people.insert(transaction, {
      id: personId,
      accountId,
      addressHash: this.people.addressHash(address),
      details: await this.personalData.encrypt(transaction, accountId, details),
      passwordHash: null,
      createdAt: this.clock.now(),
    });
    if (!isFirst) throw new AddressTaken();
    await this.identities.link(transaction, actor, identity, false);
    return { actor, keys: await this.keys.issueFirst(transaction, accountId) };
  }
}
