import { Injectable } from '@nestjs/common';
import type { AskedPage, WebhookDeliveriesAnswer, WebhookDeliveryAnswer } from '#libs/contracts';
import { DeliveriesService } from '../deliveries/deliveries.service.js';
import { WebhookNotActive } from './webhooks.errors.js';
import { WebhooksService } from './webhooks.service.js';

/** Lists the deliveries to an account's webhooks, sends test events, and repeats deliveries. */
@Injectable()
export class DeliveryLogService {
  constructor(
    private readonly webhooks: WebhooksService,
    private readonly deliveries: DeliveriesService,
  ) {}

  /** @throws NotFound. */
  async list(accountId: string, id: string, asked: AskedPage): Promise<WebhookDeliveriesAnswer> {
    await this.webhooks.get(accountId, id);
    return this.deliveries.list(accountId, id, asked);
  }

  /** @throws NotFound, WebhookNotActive, TooManyWebhookTests. */
  async test(accountId: string, id: string): Promise<WebhookDeliveryAnswer> {
    await this.checkActive(accountId, id);
    return this.deliveries.test(accountId, id);
  }

  /** @throws NotFound, WebhookNotActive, TooManyReplays. */
  async replay(accountId: string, id: string, deliveryId: string): Promise<WebhookDeliveryAnswer> {
    await this.checkActive(accountId, id);
    return this.deliveries.replay(accountId, id, deliveryId);
  }

  private async checkActive(accountId: string, id: string): Promise<void> {
    const { state } = await this.webhooks.get(accountId, id);
    if (state !== 'active') throw new WebhookNotActive();
  }
}
