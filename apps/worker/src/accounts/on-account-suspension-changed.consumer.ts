import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { AccountSuspensionChanged, type EventEnvelope } from '#libs/contracts';
import { Transaction } from '#libs/database';
import { Consumes } from '#libs/messaging';
import { AccountsService } from './accounts.service.js';

@Controller()
export class OnAccountSuspensionChangedConsumer {
  constructor(private readonly accounts: AccountsService) {}

  @Consumes(AccountSuspensionChanged)
  async handle(
    @Payload() { key, data }: EventEnvelope<AccountSuspensionChanged>,
    @Ctx() transaction: Transaction,
  ): Promise<void> {
    await this.accounts.changeSuspension(transaction, key, data.isSuspended);
  }
}
