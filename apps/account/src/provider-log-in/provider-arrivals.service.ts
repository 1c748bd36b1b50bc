import { Injectable } from '@nestjs/common';
import type { ProviderReturnAnswer } from '#libs/contracts';
import { HOUR_MS } from '#libs/platform';
import { AccountsService } from '../accounts/accounts.service.js';
import type { Visitor } from '../audit/actor.js';
import { ProviderAddressNotVerified, ProviderRefused } from '../identities/identities.errors.js';
import { IdentitiesService } from '../identities/identities.service.js';
import type { ProvenIdentity } from '../identities/providers.service.js';
import { EntryService } from '../log-in/entry.service.js';
import { domainOfAddress } from '../people/address.js';
import { PeopleService } from '../people/people.service.js';
import { SessionAnswer, StepAnswer } from '../sessions/session-headers.js';
import { SIGN_UP_DOMAIN_LIMIT, SIGN_UP_NETWORK_LIMIT } from '../throttling/sign-up-limits.js';
import { type AttemptLimit, ThrottlingService } from '../throttling/throttling.service.js';
import { AddressTaken, ProviderSignUpService } from './provider-sign-up.service.js';

type Arrival = SessionAnswer<ProviderReturnAnswer> | StepAnswer<ProviderReturnAnswer>;

/** Limits a person's log-ins with providers, because each adds an entry to a log that is kept permanently. */
const PERSON_LIMIT: AttemptLimit = { name: 'provider person', max: 300, windowMs: HOUR_MS };

/** Logs in or registers a person whose identity a provider confirms (S37). */
@Injectable()
export class ProviderArrivalsService {
  constructor(
    private readonly accounts: AccountsService,
    private readonly people: PeopleService,
    private readonly identities: IdentitiesService,
    private readonly entry: EntryService,
    private readonly signUps: ProviderSignUpService,
    private readonly throttling: ThrottlingService,
  ) {}

  /**
   * Logs in the person that the identity is connected to, with a second step if one is set up. If
   * the address has an account, its owner has to log in first. Any other verified address gets a
   * new account.
   * @throws ProviderAddressNotVerified, ProviderRefused, IdentityTaken, TooManyAttempts.
   */
  async arrive(proven: ProvenIdentity, to: string, visitor: Visitor): Promise<Arrival> {
    const known = await this.identities.find(proven);
    if (known) return this.enter(proven, { ...known, visitor }, to);
    const { address } = proven;
    if (address === undefined) throw new ProviderAddressNotVerified();
    const owner = await this.people.findByAddress(address, visitor.address);
    if (owner) {
      // Another log-in of the same person may have created the account since the identity was looked up.
      const created = await this.identities.find(proven);
      if (created) return this.enter(proven, { ...created, visitor }, to);
      return this.askForLogIn({ ...proven, address }, to);
    }
    await this.throttling.countNetwork(SIGN_UP_NETWORK_LIMIT, visitor);
    await this.throttling.isWithin(SIGN_UP_DOMAIN_LIMIT, domainOfAddress(address), visitor);
    try {
      return await this.register({ ...proven, address }, visitor);
    } catch (error) {
      if (error instanceof AddressTaken) return this.arrive(proven, to, visitor);
      throw error;
    }
  }

  private async register(
    proven: ProvenIdentity & { address: string },
    visitor: Visitor,
  ): Promise<Arrival> {
    return this.accounts.transaction(async (transaction) => {
      const { actor, keys } = await this.signUps.register(transaction, proven, visitor);
      const account = await this.accounts.get(transaction, actor.accountId);
      const opened = await this.entry.open(transaction, actor, account, {
        action: 'registration.by-provider',
      });
      const body = { ...opened.body, key: keys.live, test_key: keys.test };
      return new SessionAnswer(body, opened.token, opened.deviceToken);
    });
  }

  private async enter(
    proven: ProvenIdentity,
    actor: Parameters<EntryService['open']>[1],
    to: string,
  ): Promise<Arrival> {
    const { accountId, personId, visitor } = actor;
    await this.throttling.count(PERSON_LIMIT, personId, visitor);
    return this.accounts.transaction(async (transaction) => {
      const account = await this.accounts.lock(transaction, accountId);
      const isStill = await this.identities.noteUsed(transaction, accountId, proven);
      if (!isStill) throw new ProviderRefused();
      const { person } = await this.people.get(transaction, accountId, personId);
      const { passwordHash } = person;
      const answer = await this.entry.enter(transaction, actor, account, { passwordHash });
      return answer instanceof StepAnswer
        ? new StepAnswer({ ...answer.body, to }, answer.stepToken)
        : new SessionAnswer({ ...answer.body, to }, answer.token, answer.deviceToken);
    });
  }

  private async askForLogIn(
    pending: ProvenIdentity & { address: string },
    to: string,
  ): Promise<Arrival> {
    const { provider, subject, address } = pending;
    const content = { provider, subject, address };
    const token = await this.accounts.transaction((transaction) =>
      this.entry.beginLink(transaction, content),
    );
    return new StepAnswer({ connects: address, to }, token);
  }
}
