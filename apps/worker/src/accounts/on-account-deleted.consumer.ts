import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { AccountDeleted, type EventEnvelope } from '#libs/contracts';
import { Transaction } from '#libs/database';
import { Consumes } from '#libs/messaging';
import { AccountsService } from './accounts.service.js';

@Controller()
export class OnAccountDeletedConsumer {
  constructor(private readonly accounts: AccountsService) {}

  @Consumes(AccountDeleted)
  async handle(
    @Payload() { key }: EventEnvelope<AccountDeleted>,
    @Ctx() transaction: Transaction,
  ): Promise<void> {
    await this.accounts.remove(transaction, key);
  }
}
