import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { CreditsLow, type EventEnvelope } from '#libs/contracts';
import { Transaction } from '#libs/database';
import { Consumes } from '#libs/messaging';
import { DeliveriesService } from '../deliveries/deliveries.service.js';

@Controller()
export class OnCreditsLowConsumer {
  constructor(private readonly deliveries: DeliveriesService) {}

  @Consumes(CreditsLow)
  async handle(
    @Payload() { id, key, data }: EventEnvelope<CreditsLow>,
    @Ctx() transaction: Transaction,
  ): Promise<void> {
    const { threshold, remaining } = data;
    await this.deliveries.publish(transaction, key, {
      id,
      type: 'credits.low',
      data: { threshold_percent: threshold, remaining: Number(remaining) },
    });
  }
}
