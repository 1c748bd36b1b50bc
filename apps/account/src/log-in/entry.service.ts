import { Injectable } from '@nestjs/common';
import type { CurrentSessionAnswer, LogInAnswer } from '#libs/contracts';
import type { Transaction } from '#libs/database';
import type { Account } from '../accounts/account.entity.js';
import type { Actor } from '../audit/actor.js';
import { AuditService } from '../audit/audit.service.js';
import { IdentitiesService } from '../identities/identities.service.js';
import type { PendingIdentity, StepContents } from '../log-in-steps/step-contents.js';
import { LogInStepsService } from '../log-in-steps/log-in-steps.service.js';
import { PeopleService } from '../people/people.service.js';
import { SecondFactorsService } from '../second-factor/second-factors.service.js';
import { currentSessionAnswer } from '../sessions/current-session-answer.js';
import { SessionAnswer, StepAnswer } from '../sessions/session-headers.js';
import { SessionsService } from '../sessions/sessions.service.js';

type LoggedIn = SessionAnswer<CurrentSessionAnswer>;

@Injectable()
export class EntryService {
  constructor(
    private readonly factors: SecondFactorsService,
    private readonly steps: LogInStepsService,
    private readonly people: PeopleService,
    private readonly sessions: SessionsService,
    private readonly identities: IdentitiesService,
    private readonly audit: AuditService,
  ) {}

  /** Stores an identity to connect once its owner has logged in. @returns the step's token. */
  async beginLink(transaction: Transaction, content: PendingIdentity): Promise<string> {
    return this.steps.begin(transaction, 'link', { accountId: null, content });
  }

  /**
   * Continues after the first proof, such as a password, under the account's lock: requires a code
   * if the person has an authenticator app, otherwise opens a session.
   * @throws IdentityTaken.
   */
  async enter(
    transaction: Transaction,
    actor: Actor,
    account: Account,
    proof: Pick<StepContents['code'], 'passwordHash'>,
  ): Promise<LoggedIn | StepAnswer<LogInAnswer>> {
    const waiting = await this.steps.tryTakeLink(transaction, actor.visitor.stepToken);
    const link = await this.ownLink(transaction, actor, waiting);
    if (!(await this.factors.isOn(transaction, actor))) {
      return this.open(transaction, actor, account, { action: 'session.logged-in', link });
    }
    const { accountId, personId } = actor;
    const content = { personId, ...proof, link };
    const token = await this.steps.begin(transaction, 'code', { accountId, content });
    const object = `person:${personId}`;
    await this.audit.record(transaction, { by: actor, action: 'session.code-asked', object });
    return new StepAnswer({ needs: 'code' }, token);
  }

  /**
   * Completes the log-in after the last proof, under the account's lock. The browser is recognised from now on, and a
   * pending provider is connected. @throws IdentityTaken.
   */
  async open(
    transaction: Transaction,
    actor: Actor,
    account: Account,
    { action, link }: { action: string; link?: PendingIdentity },
  ): Promise<LoggedIn> {
    const { accountId, personId, visitor } = actor;
    const { state, restoreUntil, suspendedBecause } = account;
    const { details } = await this.people.get(transaction, accountId, personId);
    const isKnown = this.people.deviceOf(visitor.deviceToken, details.address) !== undefined;
    const token = await this.sessions.open(transaction, actor);
    const object = `person:${personId}`;
    if (link) {
      await this.identities.link(transaction, actor, link);
      await this.audit.record(transaction, { by: actor, action: 'identity.linked', object });
    }
    await this.audit.record(transaction, { by: actor, action, object });
    return new SessionAnswer(
      currentSessionAnswer({ ...actor, accountState: state, restoreUntil, suspendedBecause }),
      token,
      isKnown ? visitor.deviceToken : this.people.newDeviceToken(details.address),
    );
  }

  /**
   * Returns the pending identity of this browser, if it has the address of the person who logs in
   * (S37); otherwise undefined.
   */
  async ownLink(
    transaction: Transaction,
    { accountId, personId }: Actor,
    said: PendingIdentity | undefined,
  ): Promise<PendingIdentity | undefined> {
    if (!said?.address) return undefined;
    const { person } = await this.people.get(transaction, accountId, personId);
    const isOwn = person.addressHash?.equals(this.people.addressHash(said.address));
    return isOwn ? said : undefined;
  }
}
