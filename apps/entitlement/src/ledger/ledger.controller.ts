import { Controller, Get, Query } from '@nestjs/common';
import type { LedgerLine } from '#libs/contracts';
import type { Page } from '#libs/database';
import { AccountId, AllowCallers } from '#libs/platform';
import { ListLedgerQuery } from './ledger.dto.js';
import { LedgerService } from './ledger.service.js';

@Controller('/internal/ledger')
@AllowCallers('gateway')
export class LedgerController {
  constructor(private readonly ledger: LedgerService) {}

  @Get()
  async list(
    @AccountId() accountId: string,
    @Query() { cursor }: ListLedgerQuery,
  ): Promise<Page<LedgerLine>> {
    return this.ledger.lines(accountId, cursor);
  }
}
