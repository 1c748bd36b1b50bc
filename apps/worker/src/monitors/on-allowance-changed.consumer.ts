import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { AllowanceChanged, type EventEnvelope } from '#libs/contracts';
import { Transaction } from '#libs/database';
import { Consumes } from '#libs/messaging';
import { SlotsQueue } from './slots-queue.js';

/** The event says only that the allowance has changed. The allowance is read later. */
@Controller()
export class OnAllowanceChangedConsumer {
  constructor(private readonly queue: SlotsQueue) {}

  @Consumes(AllowanceChanged)
  async handle(
    @Payload() { key }: EventEnvelope<AllowanceChanged>,
    @Ctx() transaction: Transaction,
  ): Promise<void> {
    await this.queue.want(transaction, { name: key, payload: {}, accountId: key });
  }
}
