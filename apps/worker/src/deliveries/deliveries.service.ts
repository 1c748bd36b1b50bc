import { Injectable } from '@nestjs/common';
import {
  type AskedPage,
  WEBHOOK_TEST_EVENT,
  type WebhookDataOf,
  type WebhookDeliveriesAnswer,
  type WebhookDeliveryAnswer,
  type WebhookEvent,
} from '#libs/contracts';
import { Database, type Transaction } from '#libs/database';
import { Clock, HOUR_MS, NotFound, SECOND_MS, isId, newId } from '#libs/platform';
import { DailyCountsService } from '../daily-counts/daily-counts.service.js';
import { TooManyReplays, TooManyWebhookTests } from './deliveries.errors.js';
import { DeliveriesRepository } from './deliveries.repository.js';
import { type Delivery, deliveryAnswer } from './delivery.js';
import { DeliveryQueue } from './delivery-queue.js';

const TESTS_AN_HOUR_MAX = 60;
/**
 * Maximum number of replays per account. A replay occupies one of its webhook's slots for up to ten seconds; until a
 * slot is free, it keeps asking for one.
 */
const REPLAYS_A_DAY_MAX = 2_000;

interface EventOf<Type extends WebhookEvent> {
  /** The id of the event; an event that is added twice is delivered once. */
  id: string;
  type: Type;
  data: WebhookDataOf<Type>;
}

export type PublishedEvent = { [Type in WebhookEvent]: EventOf<Type> }[WebhookEvent];

@Injectable()
export class DeliveriesService {
  constructor(
    private readonly database: Database,
    private readonly deliveries: DeliveriesRepository,
    private readonly queue: DeliveryQueue,
    private readonly counts: DailyCountsService,
    private readonly clock: Clock,
  ) {}

  /**
   * Adds a delivery of the event for each active webhook of the account that subscribes to the event's type, unless the
   * account is deleted or suspended. The deliveries are sent after the transaction has committed.
   */
  async publish(
    transaction: Transaction,
    accountId: string,
    { id, type, data }: PublishedEvent,
  ): Promise<void> {
    const listening = await this.deliveries.listListening(transaction, accountId, type);
    for (const webhookId of listening) {
      await this.add(transaction, { webhookId, accountId, eventId: id, type, data });
    }
  }

  /**
   * Lists the ids of active accounts with an active webhook that subscribes to a type, in order,
   * after `page.after`.
   */
  async accountsListening(
    type: WebhookEvent,
    page: { after?: string; limit: number },
  ): Promise<string[]> {
    return this.deliveries.listAccountsListening(this.database, type, page);
  }

  /** Sends a test event to one webhook. @throws TooManyWebhookTests; NotFound if the webhook was just removed. */
  async test(accountId: string, webhookId: string): Promise<WebhookDeliveryAnswer> {
    const event = { webhookId, accountId, eventId: newId(), type: WEBHOOK_TEST_EVENT };
    const id = await this.database.transaction(async (transaction) => {
      if (!(await this.deliveries.lockWebhook(transaction, event))) {
        throw new NotFound('There is no webhook with this id.');
      }
      await this.checkTests(transaction, event);
      return this.add(transaction, { ...event, data: { webhook_id: webhookId } });
    });
    return this.answer(event, id);
  }

  /** Starts a delivery over, with all of its attempts. @throws NotFound, TooManyReplays. */
  async replay(
    accountId: string,
    webhookId: string,
    deliveryId: string,
  ): Promise<WebhookDeliveryAnswer> {
    const webhook = { accountId, webhookId };
    await this.find(webhook, deliveryId);
    await this.database.transaction(async (transaction) => {
      const today = await this.counts.count(transaction, accountId, 'replays');
      if (today > REPLAYS_A_DAY_MAX)
        throw new TooManyReplays(REPLAYS_A_DAY_MAX, this.counts.secondsLeft());
      await this.deliveries.setPending(transaction, accountId, deliveryId);
      await this.queue.want(transaction, workOf(accountId, webhookId, deliveryId));
    });
    return this.answer(webhook, deliveryId);
  }

  /** Lists deliveries to a webhook, newest first. */
  async list(
    accountId: string,
    webhookId: string,
    asked: AskedPage,
  ): Promise<WebhookDeliveriesAnswer> {
    const [after] = asked.after ?? [];
    const page = { limit: asked.limit, after };
    const rows = await this.deliveries.list(this.database, { accountId, webhookId }, page);
    const { items, paging } = asked.cut(rows, ({ id }) => [id]);
    return { status: true, deliveries: items.map(deliveryAnswer), paging };
  }

  /** Stops all deliveries to a webhook. */
  async cancel(transaction: Transaction, webhookId: string): Promise<void> {
    await this.queue.cancel(transaction, webhookId);
  }

  /** Stops all deliveries of an account. */
  async forget(transaction: Transaction, accountId: string): Promise<void> {
    await this.queue.forget(transaction, accountId);
  }

  /**
   * Limits tests: each one is logged for 30 days, and sends a request to a host that the customer
   * chooses.
   * @throws TooManyWebhookTests.
   */
  private async checkTests(transaction: Transaction, webhook: OwnWebhook): Promise<void> {
    const since = new Date(this.clock.now().getTime() - HOUR_MS);
    const oldest = { since, skipped: TESTS_AN_HOUR_MAX - 1 };
    const at = await this.deliveries.testBefore(transaction, webhook, oldest);
    if (at === undefined) return;
    const leftMs = at.getTime() - since.getTime();
    throw new TooManyWebhookTests(TESTS_AN_HOUR_MAX, Math.ceil(leftMs / SECOND_MS));
  }

  private async add(transaction: Transaction, { data, ...event }: NewEvent): Promise<string> {
    const id = newId();
    const createdAt = this.clock.now();
    const body = JSON.stringify({ type: event.type, timestamp: createdAt.toISOString(), data });
    const { accountId, webhookId } = event;
    if (await this.deliveries.insert(transaction, { ...event, id, body, createdAt })) {
      await this.queue.add(transaction, workOf(accountId, webhookId, id));
    }
    return id;
  }

  private async answer(webhook: OwnWebhook, id: string): Promise<WebhookDeliveryAnswer> {
    return { status: true, ...deliveryAnswer(await this.find(webhook, id)) };
  }

  private async find(webhook: OwnWebhook, id: string): Promise<Delivery> {
    const delivery = isId(id) && (await this.deliveries.find(this.database, webhook, id));
    if (!delivery) throw new NotFound('The webhook has no delivery with this id.');
    return delivery;
  }
}

type OwnWebhook = Pick<Delivery, 'accountId' | 'webhookId'>;

interface NewEvent {
  webhookId: string;
  accountId: string;
  eventId: string;
  type: string;
  data: object;
}

const workOf = (accountId: string, group: string, deliveryId: string) => ({
  name: deliveryId,
  payload: { deliveryId },
  accountId,
  group,
});
