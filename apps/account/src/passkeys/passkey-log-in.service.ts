import { Injectable } from '@nestjs/common';
import type {
  CurrentSessionAnswer,
  PasskeyLogInRequest,
  PasskeyOptionsAnswer,
} from '#libs/contracts';
import { HOUR_MS, MINUTE_MS } from '#libs/platform';
import { AccountsService } from '../accounts/accounts.service.js';
import type { Visitor } from '../audit/actor.js';
import { AuditService } from '../audit/audit.service.js';
import { EntryService } from '../log-in/entry.service.js';
import { LogInOver } from '../log-in-steps/log-in-steps.errors.js';
import { LogInStepsService } from '../log-in-steps/log-in-steps.service.js';
import { type SessionAnswer, StepAnswer } from '../sessions/session-headers.js';
import { type AttemptLimit, ThrottlingService } from '../throttling/throttling.service.js';
import { PasskeyRefused } from './passkeys.errors.js';
import { PasskeysService, type ProvenPasskey } from './passkeys.service.js';
import { isCountOfCopy, requestOptions } from './webauthn.js';

/** Limits attempts, because each stores a row for five minutes. */
const NETWORK_LIMIT: AttemptLimit = {
  name: 'passkey network',
  max: 60,
  windowMs: 15 * MINUTE_MS,
};
/** Limits a person's log-ins with passkeys, because each adds an entry to a log that is kept permanently. */
const PERSON_LIMIT: AttemptLimit = { name: 'passkey person', max: 300, windowMs: HOUR_MS };

/**
 * Logs in with a passkey, which combines both factors: a device, and the finger, face or PIN that unlocks the device.
 */
@Injectable()
export class PasskeyLogInService {
  constructor(
    private readonly throttling: ThrottlingService,
    private readonly accounts: AccountsService,
    private readonly steps: LogInStepsService,
    private readonly passkeys: PasskeysService,
    private readonly entry: EntryService,
    private readonly audit: AuditService,
  ) {}

  /**
   * Starts a log-in. The options are the same for everyone, because the person is not known yet (S24). @throws
   * TooManyAttempts.
   */
  async begin(visitor: Visitor): Promise<StepAnswer<PasskeyOptionsAnswer>> {
    await this.throttling.countNetwork(NETWORK_LIMIT, visitor);
    const options = await requestOptions(this.passkeys.party);
    const { challenge } = options;
    return this.accounts.transaction(async (transaction) => {
      // The pending identity of this browser keeps waiting for its owner.
      const link = await this.steps.tryTakeLink(transaction, visitor.stepToken);
      const content = { challenge, link };
      const token = await this.steps.begin(transaction, 'passkey', { accountId: null, content });
      return new StepAnswer({ options: { ...options } }, token);
    });
  }

  /**
   * Completes a log-in, only once and only in the browser that started it: the challenge is consumed before anything
   * else is checked (S34).
   * @throws LogInOver, PasskeyRefused, TooManyAttempts, IdentityTaken.
   */
  async logIn(
    { credential }: PasskeyLogInRequest,
    visitor: Visitor,
  ): Promise<SessionAnswer<CurrentSessionAnswer>> {
    const { accountId: addsFor, content } = await this.accounts.transaction((transaction) =>
      this.steps.take(transaction, 'passkey', visitor.stepToken),
    );
    if (addsFor !== null) throw new LogInOver();
    const proven = await this.prove(content.challenge, credential, visitor);
    const { accountId, personId } = proven;
    const actor = { accountId, personId, visitor };
    await this.throttling.count(PERSON_LIMIT, personId, visitor);
    return this.accounts.transaction(async (transaction) => {
      const account = await this.accounts.lock(transaction, accountId);
      await this.passkeys.noteUsed(transaction, proven);
      const link = await this.entry.ownLink(transaction, actor, content.link);
      return this.entry.open(transaction, actor, account, {
        action: 'session.logged-in-by-passkey',
        link,
      });
    });
  }

  private async prove(
    challenge: string,
    credential: string,
    visitor: Visitor,
  ): Promise<ProvenPasskey> {
    const proven = await this.passkeys.prove(challenge, credential).catch(async (error) => {
      if (error instanceof PasskeyRefused) {
        const object = 'passkey:unproven';
        await this.audit.recordRefusal({ by: visitor, action: 'session.passkey-failed', object });
      }
      throw error;
    });
    if (!isCountOfCopy(proven.counter, proven.newCounter)) return proven;
    const { accountId, personId, id } = proven;
    await this.accounts.transaction(async (transaction) => {
      await this.passkeys.warn(transaction, proven);
      const by = { accountId, personId, visitor };
      const object = `passkey:${id}`;
      await this.audit.record(transaction, { by, action: 'passkey.count-fell', object });
    });
    throw new PasskeyRefused();
  }
}
