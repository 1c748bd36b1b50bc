import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import {
  AccountDeleted,
  AccountErased,
  AccountRestored,
  AccountSuspensionChanged,
  type EventEnvelope,
} from '#libs/contracts';
import { Transaction } from '#libs/database';
import { Consumes } from '#libs/messaging';
import { AccountsService } from './accounts.service.js';

@Controller()
export class OnAccountNewsConsumer {
  constructor(private readonly accounts: AccountsService) {}

  @Consumes(AccountDeleted)
  async handleDeleted(
    @Payload() { key }: EventEnvelope<AccountDeleted>,
    @Ctx() transaction: Transaction,
  ): Promise<void> {
    await this.accounts.remove(transaction, key);
  }

  @Consumes(AccountRestored)
  async handleRestored(
    @Payload() { key }: EventEnvelope<AccountRestored>,
    @Ctx() transaction: Transaction,
  ): Promise<void> {
    await this.accounts.restore(transaction, key);
  }

  @Consumes(AccountErased)
  async handleErased(
    @Payload() { key }: EventEnvelope<AccountErased>,
    @Ctx() transaction: Transaction,
  ): Promise<void> {
    await this.accounts.erase(transaction, key);
  }

  @Consumes(AccountSuspensionChanged)
  async handleSuspensionChanged(
    @Payload() { key, data }: EventEnvelope<AccountSuspensionChanged>,
    @Ctx() transaction: Transaction,
  ): Promise<void> {
    await this.accounts.changeSuspension(transaction, key, data.isSuspended);
  }
}
