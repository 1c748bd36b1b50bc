import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { AccountSuspensionChanged, type EventEnvelope } from '#libs/contracts';
import { Transaction } from '#libs/database';
import { Consumes } from '#libs/messaging';
import { BlocksService } from './blocks.service.js';

@Controller()
export class OnAccountSuspensionChangedConsumer {
  constructor(private readonly blocks: BlocksService) {}

  @Consumes(AccountSuspensionChanged)
  async handle(
    @Payload() { key, data }: EventEnvelope<AccountSuspensionChanged>,
    @Ctx() transaction: Transaction,
  ): Promise<void> {
    await this.blocks.followSuspension(transaction, key, {
      isSuspended: data.isSuspended,
      at: new Date(data.changedAt),
    });
  }
}
