import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { AccountRestored, type EventEnvelope } from '#libs/contracts';
import { Transaction } from '#libs/database';
import { Consumes } from '#libs/messaging';
import { BlocksService } from './blocks.service.js';

@Controller()
export class OnAccountRestoredConsumer {
  constructor(private readonly blocks: BlocksService) {}

  @Consumes(AccountRestored)
  async handle(
    @Payload() { key, data }: EventEnvelope<AccountRestored>,
    @Ctx() transaction: Transaction,
  ): Promise<void> {
    await this.blocks.unfreezeCredits(transaction, key, new Date(data.restoredAt));
  }
}
