import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { AccountSuspensionChanged, type EventEnvelope } from '#libs/contracts';
import type { Transaction } from '#libs/database';
import { Consumes } from '#libs/messaging';
import { AccountStatesService } from './account-states.service.js';

@Controller()
export class OnAccountSuspensionChangedConsumer {
  constructor(private readonly accounts: AccountStatesService) {}

  @Consumes(AccountSuspensionChanged)
  async handle(
    @Payload() { key, data }: EventEnvelope<AccountSuspensionChanged>,
    @Ctx() transaction: Transaction,
  ): Promise<void> {
    const { isSuspended, changedAt } = data;
    await this.accounts.changeSuspension(transaction, key, {
      isSuspended,
      at: new Date(changedAt),
    });
  }
}
