import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { AccountDeleted, type EventEnvelope } from '#libs/contracts';
import { Transaction } from '#libs/database';
import { Consumes } from '#libs/messaging';
import { BlocksService } from './blocks.service.js';

@Controller()
export class OnAccountDeletedConsumer {
  constructor(private readonly blocks: BlocksService) {}

  @Consumes(AccountDeleted)
  async handle(
    @Payload() { key, data }: EventEnvelope<AccountDeleted>,
    @Ctx() transaction: Transaction,
  ): Promise<void> {
    await this.blocks.freezeCredits(transaction, key, new Date(data.deletedAt));
  }
}
