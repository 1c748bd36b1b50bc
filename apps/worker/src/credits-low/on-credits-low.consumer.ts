import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { CreditsLow, type EventEnvelope } from '#libs/contracts';
import { Transaction } from '#libs/database';
import { Consumes } from '#libs/messaging';
import { DeliveriesService } from '../deliveries/deliveries.service.js';
import { CreditsLowQueue } from './credits-low-queue.js';

@Controller()
export class OnCreditsLowConsumer {
  constructor(
    private readonly deliveries: DeliveriesService,
    private readonly queue: CreditsLowQueue,
  ) {}

  @Consumes(CreditsLow)
  async handle(
    @Payload() { id, key, data }: EventEnvelope<CreditsLow>,
    @Ctx() transaction: Transaction,
  ): Promise<void> {
    const { threshold } = data;
    const remaining = Number(data.remaining);
    await this.deliveries.publish(transaction, key, {
      id,
      type: 'credits.low',
      data: { threshold_percent: threshold, remaining },
    });
    const payload = { threshold, remaining };
    await this.queue.add(transaction, { name: id, payload, accountId: key });
  }
}
