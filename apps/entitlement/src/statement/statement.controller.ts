import { Controller, Get, Query } from '@nestjs/common';
import {
  ACCOUNT_CREDITS,
  type BalanceExplanation,
  type CreditsAnswer,
  type LedgerLine,
  Question,
  type QuestionOf,
} from '#libs/contracts';
import type { Page } from '#libs/database';
import { AccountId, AllowCallers } from '#libs/platform';
import { creditsAnswer } from './credits-answer.js';
import { ListLedgerQuery } from './statement.dto.js';
import { StatementService } from './statement.service.js';

@Controller('/internal')
@AllowCallers('gateway')
export class StatementController {
  constructor(private readonly statement: StatementService) {}

  @Get('/account/credits')
  async credits(
    @AccountId() accountId: string,
    @Question(ACCOUNT_CREDITS) { cursor }: QuestionOf<typeof ACCOUNT_CREDITS>,
  ): Promise<CreditsAnswer> {
    return creditsAnswer(await this.statement.read(accountId, cursor));
  }

  @Get('/ledger')
  async ledger(
    @AccountId() accountId: string,
    @Query() { cursor }: ListLedgerQuery,
  ): Promise<Page<LedgerLine>> {
    return this.statement.lines(accountId, cursor);
  }

  @Get('/operator/explanation')
  @AllowCallers('cli')
  async explain(@AccountId() accountId: string): Promise<BalanceExplanation> {
    return this.statement.explain(accountId);
  }
}
