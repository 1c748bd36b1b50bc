import { Controller, Get } from '@nestjs/common';
import type { SetAsideAccount } from '#libs/contracts';
import { AllowCallers } from '#libs/platform';
import { DueAccountsService } from './due-accounts.service.js';

@Controller('/internal/operator/set-aside')
@AllowCallers('cli')
export class DueAccountsController {
  constructor(private readonly dueAccounts: DueAccountsService) {}

  @Get('/accounts')
  async list(): Promise<SetAsideAccount[]> {
    return this.dueAccounts.listSetAside();
  }
}
