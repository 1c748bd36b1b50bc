import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { AccountRestored, type EventEnvelope } from '#libs/contracts';
import type { Transaction } from '#libs/database';
import { Consumes } from '#libs/messaging';
import { AccountStatesService } from './account-states.service.js';

@Controller()
export class OnAccountRestoredConsumer {
  constructor(private readonly accounts: AccountStatesService) {}

  @Consumes(AccountRestored)
  async handle(
    @Payload() { key, data }: EventEnvelope<AccountRestored>,
    @Ctx() transaction: Transaction,
  ): Promise<void> {
    const at = new Date(data.restoredAt);
    await this.accounts.change(transaction, key, { state: 'active', at });
  }
}
