import { Injectable } from '@nestjs/common';
import { WorkQueue } from '#libs/work';

export interface DeliveryWork {
  deliveryId: string;
}

/** Where events wait for their endpoints. */
@Injectable()
export class DeliveryQueue extends WorkQueue<DeliveryWork> {
  constructor() {
    super({ name: 'webhook-deliveries' });
  }
}
