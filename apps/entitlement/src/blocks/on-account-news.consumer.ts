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
import { BlocksService } from './blocks.service.js';

@Controller()
export class OnAccountNewsConsumer {
  constructor(private readonly blocks: BlocksService) {}

  @Consumes(AccountDeleted)
  async handleDeleted(
    @Payload() { key, data }: EventEnvelope<AccountDeleted>,
    @Ctx() transaction: Transaction,
  ): Promise<void> {
    await this.blocks.freezeCredits(transaction, key, new Date(data.deletedAt));
  }

  @Consumes(AccountRestored)
  async handleRestored(
    @Payload() { key, data }: EventEnvelope<AccountRestored>,
    @Ctx() transaction: Transaction,
  ): Promise<void> {
    await this.blocks.unfreezeCredits(transaction, key, new Date(data.restoredAt));
  }

  @Consumes(AccountErased)
  async handleErased(
    @Payload() { key }: EventEnvelope<AccountErased>,
    @Ctx() transaction: Transaction,
  ): Promise<void> {
    await this.blocks.revokeCredits(transaction, key);
  }

  @Consumes(AccountSuspensionChanged)
  async handleSuspensionChanged(
    @Payload() { key, data }: EventEnvelope<AccountSuspensionChanged>,
    @Ctx() transaction: Transaction,
  ): Promise<void> {
    const at = new Date(data.changedAt);
    await this.blocks.followSuspension(transaction, key, { isSuspended: data.isSuspended, at });
  }
}
