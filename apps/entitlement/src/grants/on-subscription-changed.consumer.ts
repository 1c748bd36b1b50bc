import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { type EventEnvelope, SubscriptionChanged } from '#libs/contracts';
import { Transaction } from '#libs/database';
import { Consumes } from '#libs/messaging';
import { GrantsService } from './grants.service.js';

@Controller()
export class OnSubscriptionChangedConsumer {
  constructor(private readonly grants: GrantsService) {}

  @Consumes(SubscriptionChanged)
  async handle(
    @Payload() { key, data }: EventEnvelope<SubscriptionChanged>,
    @Ctx() transaction: Transaction,
  ): Promise<void> {
    await this.grants.followSubscription(transaction, key, data);
  }
}
