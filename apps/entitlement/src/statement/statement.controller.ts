import { Controller, Get } from '@nestjs/common';
import {
  ACCOUNT_CREDITS,
  type BalanceExplanation,
  type CreditsAnswer,
  type CreditsOverview,
  LEDGER,
  type LedgerAnswer,
  Pages,
  Question,
  type QuestionOf,
  Serves,
  USAGE_V1,
  type UsageV1Answer,
} from '#libs/contracts';
import { AccountId, AllowCallers } from '#libs/platform';
import { creditsAnswer } from './credits-answer.js';
import { StatementService } from './statement.service.js';

@Controller()
export class StatementController {
  constructor(
    private readonly statement: StatementService,
    private readonly pages: Pages,
  ) {}

  @Serves(ACCOUNT_CREDITS)
  async credits(
    @AccountId() accountId: string,
    @Question(ACCOUNT_CREDITS) question: QuestionOf<typeof ACCOUNT_CREDITS>,
  ): Promise<CreditsAnswer> {
    const asked = this.pages.asked(ACCOUNT_CREDITS, question);
    return creditsAnswer(await this.statement.read(accountId, asked));
  }

  @Serves(USAGE_V1)
  async usageV1(@AccountId() accountId: string): Promise<UsageV1Answer> {
    return this.statement.usageV1(accountId);
  }

  @Serves(LEDGER)
  async ledger(
    @AccountId() accountId: string,
    @Question(LEDGER) question: QuestionOf<typeof LEDGER>,
  ): Promise<LedgerAnswer> {
    return this.statement.lines(accountId, this.pages.asked(LEDGER, question));
  }

  @Get('/internal/overview')
  @AllowCallers('dashboard')
  async overview(@AccountId() accountId: string): Promise<CreditsOverview> {
    return this.statement.overview(accountId);
  }

  @Get('/internal/operator/explanation')
  @AllowCallers('cli')
  async explain(@AccountId() accountId: string): Promise<BalanceExplanation> {
    return this.statement.explain(accountId);
  }
}
