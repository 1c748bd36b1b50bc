import { Injectable } from '@nestjs/common';
import { WorkQueue } from '#libs/work';

export interface DeliveryWork {
  deliveryId: string;
}

@Injectable()
export class DeliveryQueue extends WorkQueue<DeliveryWork> {
  constructor() {
    super({ name: 'webhook-deliveries' });
  }
}
