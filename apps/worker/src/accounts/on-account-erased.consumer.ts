import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { AccountErased, type EventEnvelope } from '#libs/contracts';
import { Transaction } from '#libs/database';
import { Consumes } from '#libs/messaging';
import { AccountsService } from './accounts.service.js';

@Controller()
export class OnAccountErasedConsumer {
  constructor(private readonly accounts: AccountsService) {}

  @Consumes(AccountErased)
  async handle(
    @Payload() { key }: EventEnvelope<AccountErased>,
    @Ctx() transaction: Transaction,
  ): Promise<void> {
    await this.accounts.erase(transaction, key);
  }
}
