import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import type { AccountMatch } from '#libs/contracts';
import { AllowCallers } from '#libs/platform';
import { FindAccountsRequest } from './account-matches.dto.js';
import { AccountMatchesService } from './account-matches.service.js';

@Controller('internal/operator')
@AllowCallers('cli')
export class AccountMatchesController {
  constructor(private readonly matches: AccountMatchesService) {}

  @Post('accounts/matches')
  @HttpCode(200)
  find(@Body() { text }: FindAccountsRequest): Promise<AccountMatch[]> {
    return this.matches.find(text);
  }
}
