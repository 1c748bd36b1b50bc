import { Controller, Get, Query } from '@nestjs/common';
import { AllowVisitors } from '../browser/allow-visitors.js';
import { DashboardCalls } from '../dashboard-calls.js';
import { OptionalText } from '../pages/optional-text.js';
import type { PageVisit } from '../pages/page-visit.js';
import { Visit } from '../pages/visit.js';
import { balanceAnswer, ledgerAnswer } from './credits-answer.js';

/** The account's credits, in the dashboard's own form. */
@Controller('api')
@AllowVisitors('logged-in')
export class CreditCallsController {
  constructor(private readonly calls: DashboardCalls) {}

  @Get('balance')
  async balance(@Visit() { session }: PageVisit) {
    return balanceAnswer(await this.calls.balance(session));
  }

  @Get('ledger')
  async ledger(@Visit() { session }: PageVisit, @Query('cursor', OptionalText) cursor: string) {
    return ledgerAnswer(await this.calls.ledger(session, cursor || undefined));
  }
}
