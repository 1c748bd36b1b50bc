import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { AccountDeleted, type EventEnvelope } from '#libs/contracts';
import type { Transaction } from '#libs/database';
import { Consumes } from '#libs/messaging';
import { AccountStatesService } from './account-states.service.js';

@Controller()
export class OnAccountDeletedConsumer {
  constructor(private readonly accounts: AccountStatesService) {}

  @Consumes(AccountDeleted)
  async handle(
    @Payload() { key, data }: EventEnvelope<AccountDeleted>,
    @Ctx() transaction: Transaction,
  ): Promise<void> {
    const at = new Date(data.deletedAt);
    await this.accounts.change(transaction, key, { state: 'deleted', at });
  }
}
