import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { AccountRestored, type EventEnvelope } from '#libs/contracts';
import { Transaction } from '#libs/database';
import { Consumes } from '#libs/messaging';
import { AccountsService } from './accounts.service.js';

@Controller()
export class OnAccountRestoredConsumer {
  constructor(private readonly accounts: AccountsService) {}

  @Consumes(AccountRestored)
  async handle(
    @Payload() { key }: EventEnvelope<AccountRestored>,
    @Ctx() transaction: Transaction,
  ): Promise<void> {
    await this.accounts.restore(transaction, key);
  }
}
