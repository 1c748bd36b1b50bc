import { Injectable } from '@nestjs/common';
import type { CodeRequest, CurrentSessionAnswer } from '#libs/contracts';
import { AccountsService } from '../accounts/accounts.service.js';
import type { Visitor } from '../audit/actor.js';
import { AuditService } from '../audit/audit.service.js';
import { LogInOver } from '../log-in-steps/log-in-steps.errors.js';
import { LogInStepsService } from '../log-in-steps/log-in-steps.service.js';
import { PeopleService } from '../people/people.service.js';
import { WrongCode } from '../second-factor/second-factor.errors.js';
import { SecondFactorsService } from '../second-factor/second-factors.service.js';
import type { SessionAnswer } from '../sessions/session-headers.js';
import { EntryService } from './entry.service.js';

@Injectable()
export class SecondStepService {
  constructor(
    private readonly accounts: AccountsService,
    private readonly steps: LogInStepsService,
    private readonly factors: SecondFactorsService,
    private readonly people: PeopleService,
    private readonly entry: EntryService,
    private readonly audit: AuditService,
  ) {}

  /**
   * Completes a log-in with a code. Allows five attempts; wrong guesses in any log-in cause growing delays (S33). The
   * log-in ends if anything relevant changes after the first step, such as the password, or if the 90 days after a
   * deletion end.
   * @throws WrongCode, LogInOver, TooManyAttempts, WrongCredentials, IdentityTaken, NotFound.
   */
  async logIn(
    { code }: CodeRequest,
    visitor: Visitor,
  ): Promise<SessionAnswer<CurrentSessionAnswer>> {
    const { stepToken } = visitor;
    await this.steps.countTry(stepToken);
    const { accountId, content } = await this.accounts.transaction((transaction) =>
      this.steps.find(transaction, 'code', stepToken),
    );
    if (accountId === null) throw new LogInOver();
    const { personId, passwordHash, link } = content;
    const actor = { accountId, personId, visitor };
    await this.factors.countGuess(actor, passwordHash);
    try {
      const answer = await this.accounts.transaction(async (transaction) => {
        const account = await this.accounts.lock(transaction, accountId);
        await this.steps.take(transaction, 'code', stepToken);
        await this.people.checkPasswordHash(transaction, actor, passwordHash);
        await this.factors.take(transaction, actor, code);
        const action = 'session.logged-in';
        return this.entry.open(transaction, actor, account, { action, link });
      });
      await this.factors.forgetGuesses(actor, passwordHash);
      return answer;
    } catch (error) {
      if (error instanceof WrongCode) {
        const object = `person:${personId}`;
        await this.audit.recordRefusal({ by: actor, action: 'session.code-failed', object });
      }
      throw error;
    }
  }
}
