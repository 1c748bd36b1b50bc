import { Injectable } from '@nestjs/common';
import { WorkQueue } from '#libs/work';

export interface DeliveryWork {
  deliveryId: string;
}

/** The queue of events for webhooks. */
@Injectable()
export class DeliveryQueue extends WorkQueue<DeliveryWork> {
  constructor() {
    super({ name: 'webhook-deliveries' });
  }
}
