import { Body, Controller, Param } from '@nestjs/common';
import {
  CreateWebhookRequest,
  OWN_WEBHOOKS,
  OWN_WEBHOOK_CREATE,
  OWN_WEBHOOK,
  OWN_WEBHOOK_UPDATE,
  OWN_WEBHOOK_DELETE,
  OWN_WEBHOOK_ROTATE,
  OWN_WEBHOOK_TEST,
  OWN_WEBHOOK_DELIVERIES,
  OWN_WEBHOOK_REPLAY,
  Pages,
  Question,
  type QuestionOf,
  Serves,
  UpdateWebhookRequest,
} from '#libs/contracts';
import { AccountId } from '#libs/platform';
import { DeliveryLogService } from './delivery-log.service.js';
import { WebhooksService } from './webhooks.service.js';

/** Webhooks, for their owner at the dashboard. */
@Controller()
export class OwnWebhooksController {
  constructor(
    private readonly webhooks: WebhooksService,
    private readonly log: DeliveryLogService,
    private readonly pages: Pages,
  ) {}

  @Serves(OWN_WEBHOOKS)
  list(
    @AccountId() accountId: string,
    @Question(OWN_WEBHOOKS) question: QuestionOf<typeof OWN_WEBHOOKS>,
  ) {
    return this.webhooks.list(accountId, this.pages.asked(OWN_WEBHOOKS, question));
  }

  @Serves(OWN_WEBHOOK_CREATE)
  create(@AccountId() accountId: string, @Body() request: CreateWebhookRequest) {
    return this.webhooks.create(accountId, request);
  }

  @Serves(OWN_WEBHOOK)
  get(@AccountId() accountId: string, @Param('id') id: string) {
    return this.webhooks.get(accountId, id);
  }

  @Serves(OWN_WEBHOOK_UPDATE)
  update(
    @AccountId() accountId: string,
    @Param('id') id: string,
    @Body() request: UpdateWebhookRequest,
  ) {
    return this.webhooks.update(accountId, id, request);
  }

  @Serves(OWN_WEBHOOK_DELETE)
  remove(@AccountId() accountId: string, @Param('id') id: string) {
    return this.webhooks.remove(accountId, id);
  }

  @Serves(OWN_WEBHOOK_ROTATE)
  rotate(@AccountId() accountId: string, @Param('id') id: string) {
    return this.webhooks.rotate(accountId, id);
  }

  @Serves(OWN_WEBHOOK_TEST)
  test(@AccountId() accountId: string, @Param('id') id: string) {
    return this.log.test(accountId, id);
  }

  @Serves(OWN_WEBHOOK_DELIVERIES)
  deliveries(
    @AccountId() accountId: string,
    @Question(OWN_WEBHOOK_DELIVERIES) question: QuestionOf<typeof OWN_WEBHOOK_DELIVERIES>,
  ) {
    return this.log.list(
      accountId,
      question.id,
      this.pages.asked(OWN_WEBHOOK_DELIVERIES, question),
    );
  }

  @Serves(OWN_WEBHOOK_REPLAY)
  replay(
    @AccountId() accountId: string,
    @Param('id') id: string,
    @Param('delivery_id') deliveryId: string,
  ) {
    return this.log.replay(accountId, id, deliveryId);
  }
}
