import { Controller, Get } from '@nestjs/common';
import {
  ACCOUNT_CREDITS,
  type BalanceExplanation,
  type CreditsAnswer,
  LEDGER,
  type LedgerAnswer,
  Question,
  type QuestionOf,
  Serves,
} from '#libs/contracts';
import { AccountId, AllowCallers } from '#libs/platform';
import { creditsAnswer, ledgerAnswer } from './credits-answer.js';
import { StatementService } from './statement.service.js';

@Controller()
export class StatementController {
  constructor(private readonly statement: StatementService) {}

  @Serves(ACCOUNT_CREDITS)
  async credits(
    @AccountId() accountId: string,
    @Question(ACCOUNT_CREDITS) { cursor }: QuestionOf<typeof ACCOUNT_CREDITS>,
  ): Promise<CreditsAnswer> {
    return creditsAnswer(await this.statement.read(accountId, cursor));
  }

  @Serves(LEDGER)
  async ledger(
    @AccountId() accountId: string,
    @Question(LEDGER) { cursor }: QuestionOf<typeof LEDGER>,
  ): Promise<LedgerAnswer> {
    return ledgerAnswer(await this.statement.lines(accountId, cursor));
  }

  @Get('/internal/operator/explanation')
  @AllowCallers('cli')
  async explain(@AccountId() accountId: string): Promise<BalanceExplanation> {
    return this.statement.explain(accountId);
  }
}
