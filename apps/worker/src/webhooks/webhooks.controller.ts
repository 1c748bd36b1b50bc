import { Body, Controller, Param, Query } from '@nestjs/common';
import {
  CreateWebhookRequest,
  WEBHOOKS,
  WEBHOOK_CREATE,
  WEBHOOK,
  WEBHOOK_UPDATE,
  WEBHOOK_DELETE,
  WEBHOOK_ROTATE,
  WEBHOOK_TEST,
  WEBHOOK_DELIVERIES,
  WEBHOOK_REPLAY,
  Pages,
  Question,
  type QuestionOf,
  Serves,
  UpdateWebhookRequest,
} from '#libs/contracts';
import { Idempotent, type IdempotentCall } from '#libs/database';
import { AccountId } from '#libs/platform';
import { DeliveryLogService } from './delivery-log.service.js';
import { WebhooksService } from './webhooks.service.js';

@Controller()
export class WebhooksController {
  constructor(
    private readonly webhooks: WebhooksService,
    private readonly log: DeliveryLogService,
    private readonly pages: Pages,
  ) {}

  @Serves(WEBHOOKS)
  list(@AccountId() accountId: string, @Question(WEBHOOKS) question: QuestionOf<typeof WEBHOOKS>) {
    return this.webhooks.list(accountId, this.pages.asked(WEBHOOKS, question));
  }

  @Serves(WEBHOOK_CREATE)
  create(
    @AccountId() accountId: string,
    @Body() request: CreateWebhookRequest,
    @Idempotent() call?: IdempotentCall,
  ) {
    return this.webhooks.create(accountId, request, call);
  }

  @Serves(WEBHOOK)
  get(@AccountId() accountId: string, @Param('id') id: string) {
    return this.webhooks.get(accountId, id);
  }

  @Serves(WEBHOOK_UPDATE)
  update(
    @AccountId() accountId: string,
    @Param('id') id: string,
    @Body() request: UpdateWebhookRequest,
  ) {
    return this.webhooks.update(accountId, id, request);
  }

  @Serves(WEBHOOK_DELETE)
  remove(@AccountId() accountId: string, @Param('id') id: string) {
    return this.webhooks.remove(accountId, id);
  }

  /** @param previous sent by the dashboard's form only; see `WebhooksService.rotate`. */
  @Serves(WEBHOOK_ROTATE)
  rotate(
    @AccountId() accountId: string,
    @Param('id') id: string,
    @Query('previous') previous?: string,
  ) {
    return this.webhooks.rotate(accountId, id, previous);
  }

  @Serves(WEBHOOK_TEST)
  test(@AccountId() accountId: string, @Param('id') id: string) {
    return this.log.test(accountId, id);
  }

  @Serves(WEBHOOK_DELIVERIES)
  deliveries(
    @AccountId() accountId: string,
    @Question(WEBHOOK_DELIVERIES) question: QuestionOf<typeof WEBHOOK_DELIVERIES>,
  ) {
    return this.log.list(accountId, question.id, this.pages.asked(WEBHOOK_DELIVERIES, question));
  }

  @Serves(WEBHOOK_REPLAY)
  replay(
    @AccountId() accountId: string,
    @Param('id') id: string,
    @Param('delivery_id') deliveryId: string,
  ) {
    return this.log.replay(accountId, id, deliveryId);
  }
}
