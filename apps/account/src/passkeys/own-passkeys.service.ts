import { Injectable } from '@nestjs/common';
import type {
  AddPasskeyRequest,
  ListedPasskey,
  PasskeyOptionsAnswer,
  PasskeyRemovedAnswer,
  PasskeysAnswer,
  RenamePasskeyRequest,
} from '#libs/contracts';
import { NotFound, isId } from '#libs/platform';
import { AccountsService } from '../accounts/accounts.service.js';
import { AuditService } from '../audit/audit.service.js';
import { LastWayIn } from '../identities/identities.errors.js';
import { LogInOver } from '../log-in-steps/log-in-steps.errors.js';
import { LogInStepsService } from '../log-in-steps/log-in-steps.service.js';
import { PeopleService } from '../people/people.service.js';
import type { ActiveSession } from '../sessions/session-guard.js';
import { SessionAnswer, StepAnswer } from '../sessions/session-headers.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { PasskeysService } from './passkeys.service.js';
import { creationOptions, verifyNew } from './webauthn.js';

/** Lets owners list and change their passkeys. Some changes give the session a new token (S26). */
@Injectable()
export class OwnPasskeysService {
  constructor(
    private readonly accounts: AccountsService,
    private readonly passkeys: PasskeysService,
    private readonly steps: LogInStepsService,
    private readonly people: PeopleService,
    private readonly sessions: SessionsService,
    private readonly audit: AuditService,
  ) {}

  async list(owner: ActiveSession): Promise<PasskeysAnswer> {
    return this.accounts.transaction(async (transaction) => ({
      passkeys: await this.passkeys.list(transaction, owner),
    }));
  }

  /** Starts to add a passkey. The challenge is bound to this session. @throws TooManyPasskeys. */
  async begin(owner: ActiveSession): Promise<StepAnswer<PasskeyOptionsAnswer>> {
    const { accountId, personId, sessionId } = owner;
    return this.accounts.transaction(async (transaction) => {
      const known = await this.passkeys.known(transaction, owner);
      const { details } = await this.people.get(transaction, accountId, personId);
      const options = await creationOptions(
        this.passkeys.party,
        { id: personId, ...details },
        known,
      );
      const content = { challenge: options.challenge, sessionId };
      const token = await this.steps.begin(transaction, 'passkey', { accountId, content });
      return new StepAnswer({ options: { ...options } }, token);
    });
  }

  /**
   * Adds a passkey, and gives the session a new token. The challenge is consumed first, whatever the result.
   * @throws LogInOver, PasskeyRefused, TooManyPasskeys, AccountIsDeleted, NotFound, NotLoggedIn.
   */
  async add(
    owner: ActiveSession,
    { name, credential }: AddPasskeyRequest,
  ): Promise<SessionAnswer<ListedPasskey>> {
    const { accountId, sessionId, visitor } = owner;
    const { content } = await this.accounts.transaction((transaction) =>
      this.steps.take(transaction, 'passkey', visitor.stepToken),
    );
    if (content.sessionId !== sessionId) throw new LogInOver();
    const made = await verifyNew(this.passkeys.party, content.challenge, credential);
    return this.accounts.transaction(async (transaction) => {
      await this.accounts.lockActive(transaction, accountId);
      const token = await this.sessions.renew(transaction, owner);
      const passkey = await this.passkeys.add(transaction, owner, { ...made, name });
      const object = `passkey:${passkey.id}`;
      await this.audit.record(transaction, { by: owner, action: 'passkey.added', object });
      return new SessionAnswer(passkey, token);
    });
  }

  /** @throws NotFound, AccountIsDeleted. */
  async rename(
    owner: ActiveSession,
    id: string,
    { name }: RenamePasskeyRequest,
  ): Promise<ListedPasskey> {
    const { accountId } = owner;
    return this.accounts.transaction(async (transaction) => {
      await this.accounts.lockActive(transaction, accountId);
      const renamed = isId(id)
        ? await this.passkeys.rename(transaction, accountId, { id, name })
        : undefined;
      if (!renamed) throw new NotFound();
      const object = `passkey:${id}`;
      await this.audit.record(transaction, { by: owner, action: 'passkey.renamed', object });
      return renamed;
    });
  }

  /**
   * Removes a passkey, gives the session a new token, and ends all other sessions, because someone with a copy of the
   * passkey may have opened a session.
   * @throws NotFound; LastWayIn if there is no other way to log in; AccountIsDeleted, NotLoggedIn.
   */
  async remove(owner: ActiveSession, id: string): Promise<SessionAnswer<PasskeyRemovedAnswer>> {
    const { accountId, personId, sessionId } = owner;
    return this.accounts.transaction(async (transaction) => {
      await this.accounts.lockActive(transaction, accountId);
      const token = await this.sessions.renew(transaction, owner);
      const isRemoved = isId(id) && (await this.passkeys.remove(transaction, accountId, id));
      if (!isRemoved) throw new NotFound();
      const ways = await this.people.countWaysIn(transaction, accountId, personId);
      if (ways === 0) throw new LastWayIn();
      await this.sessions.endAll(transaction, accountId, sessionId);
      const object = `passkey:${id}`;
      await this.audit.record(transaction, { by: owner, action: 'passkey.removed', object });
      return new SessionAnswer({ removed: true }, token);
    });
  }
}
