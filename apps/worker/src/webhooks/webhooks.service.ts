import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type {
  AskedPage,
  CreateWebhookRequest,
  UpdateWebhookRequest,
  WebhookAnswer,
  WebhookSecretAnswer,
  WebhooksAnswer,
} from '#libs/contracts';
import {
  Database,
  IdempotencyService,
  type IdempotentCall,
  type Transaction,
} from '#libs/database';
import { Clock, DAY_MS, InvalidRequest, MINUTE_MS, NotFound, isId, newId } from '#libs/platform';
import { DailyCountsService } from '../daily-counts/daily-counts.service.js';
import { DeliveriesService } from '../deliveries/deliveries.service.js';
import { secretText } from '../deliveries/signature.js';
import { type Webhook, readUrl, webhookAnswer } from './webhook.js';
import { TooManyWebhooks, TooManyWebhooksADay } from './webhooks.errors.js';
import { WebhooksRepository } from './webhooks.repository.js';

const WEBHOOKS_MAX = 10;
/**
 * The maximum number of webhooks created in a day. Removed webhooks count: the limit on tests
 * applies per webhook, so new webhooks would allow more tests.
 */
const WEBHOOKS_A_DAY_MAX = 100;
/**
 * A call that follows a rotation sooner is taken for a repetition of it, because a second rotation ends the receiver's
 * secret at once.
 */
const ROTATION_PAUSE_MS = MINUTE_MS;
/** The size of a secret in bytes: that of a SHA-256 hash. */
const SECRET_BYTES = 32;

@Injectable()
export class WebhooksService {
  constructor(
    private readonly database: Database,
    private readonly webhooks: WebhooksRepository,
    private readonly deliveries: DeliveriesService,
    private readonly counts: DailyCountsService,
    private readonly idempotency: IdempotencyService,
    private readonly clock: Clock,
  ) {}

  /**
   * Adds a webhook. The answer is the only one that contains the secret; that to a repeated call lacks it.
   * @throws InvalidRequest as `readUrl` does; TooManyWebhooks, TooManyWebhooksADay, IdempotencyKeyRunning,
   *   IdempotencyKeyReused.
   */
  async create(
    accountId: string,
    request: CreateWebhookRequest,
    call?: IdempotentCall,
  ): Promise<WebhookAnswer | WebhookSecretAnswer> {
    const secret = randomBytes(SECRET_BYTES);
    const webhook: Webhook = {
      id: newId(),
      accountId,
      url: readUrl(request.url),
      events: request.events,
      state: 'active',
      createdAt: this.clock.now(),
      failingSince: null,
      previousUntil: null,
    };
    const insert = async (transaction: Transaction) => {
      const count = await this.webhooks.countLocked(transaction, accountId);
      if (count >= WEBHOOKS_MAX) throw new TooManyWebhooks(WEBHOOKS_MAX);
      const today = await this.counts.count(transaction, accountId, 'webhooks');
      if (today > WEBHOOKS_A_DAY_MAX) throw new TooManyWebhooksADay(WEBHOOKS_A_DAY_MAX);
      await this.webhooks.insert(transaction, webhook, secret);
      return { ...webhookAnswer(webhook), secret: secretText(secret) };
    };
    const options = { call, redact: () => webhookAnswer(webhook) };
    return this.database.transaction((transaction) =>
      this.idempotency.once<WebhookAnswer | WebhookSecretAnswer>(
        transaction,
        accountId,
        options,
        () => insert(transaction),
      ),
    );
  }

  async list(accountId: string, asked: AskedPage): Promise<WebhooksAnswer> {
    const [after] = asked.after ?? [];
    const { limit } = asked;
    const rows = await this.webhooks.list(this.database, accountId, { limit, after });
    const { items, paging } = asked.cut(rows, ({ id }) => [id]);
    return { status: true, webhooks: items.map(webhookAnswer), paging };
  }

  /** @throws NotFound. */
  async get(accountId: string, id: string): Promise<WebhookAnswer> {
    return webhookAnswer(await this.find(this.database, accountId, id));
  }

  /** Changes a webhook. When it becomes active, it no longer counts as failing. @throws NotFound, InvalidRequest. */
  async update(
    accountId: string,
    id: string,
    { url, events, state }: UpdateWebhookRequest,
  ): Promise<WebhookAnswer> {
    return this.database.transaction(async (transaction) => {
      // Without the lock, one of two concurrent changes could undo the other, and a stopped webhook would continue.
      const webhook = known(isId(id) && (await this.webhooks.lock(transaction, accountId, id)));
      const changed: Webhook = {
        ...webhook,
        url: url === undefined ? webhook.url : readUrl(url),
        events: events ?? webhook.events,
        state: state ?? webhook.state,
        failingSince: state === 'active' ? null : webhook.failingSince,
      };
      await this.webhooks.update(transaction, changed);
      return webhookAnswer(changed);
    });
  }

  /** Removes a webhook with its log. @returns the removed webhook. @throws NotFound. */
  async remove(accountId: string, id: string): Promise<WebhookAnswer> {
    return this.database.transaction(async (transaction) => {
      const webhook = await this.find(transaction, accountId, id);
      await this.webhooks.delete(transaction, accountId, id);
      await this.deliveries.cancel(transaction, id);
      return webhookAnswer(webhook);
    });
  }

  /**
   * Rotates the secret. The old secret also signs for another day.
   * @param previous the `previous_secret_until` that a form has shown (empty for null). If another rotation has changed
   *   it, for example because the form was sent twice, the secret stays; otherwise, the receiver's secret would end at
   *   once. A call of the API has no form; it is refused if it follows a rotation too soon.
   * @returns the webhook with its new secret, which no other answer contains.
   * @throws NotFound; InvalidRequest that names `previous` or `id`.
   */
  async rotate(accountId: string, id: string, previous?: string): Promise<WebhookSecretAnswer> {
    const secret = randomBytes(SECRET_BYTES);
    const now = this.clock.now().getTime();
    const previousUntil = new Date(now + DAY_MS);
    return this.database.transaction(async (transaction) => {
      const webhook = known(isId(id) && (await this.webhooks.lock(transaction, accountId, id)));
      checkRotation(webhook, previous, now);
      await this.webhooks.rotate(transaction, webhook, { secret, previousUntil });
      const answer = webhookAnswer({ ...webhook, previousUntil });
      return { ...answer, secret: secretText(secret) };
    });
  }

  /** Removes an account's webhooks, with their deliveries and counts. */
  async erase(transaction: Transaction, accountId: string): Promise<void> {
    await this.deliveries.forget(transaction, accountId);
    await this.counts.forget(transaction, accountId, ['webhooks', 'replays']);
    await this.webhooks.deleteOfAccount(transaction, accountId);
  }

  private async find(
    runner: Pick<Database, 'query'> | Transaction,
    accountId: string,
    id: string,
  ): Promise<Webhook> {
    return known(isId(id) && (await this.webhooks.find(runner, accountId, id)));
  }
}

/** @throws InvalidRequest if the rotation probably repeats another one. */
function checkRotation(
  { previousUntil }: Webhook,
  previous: string | undefined,
  nowMs: number,
): void {
  if (previous === undefined) {
    const rotatedMs = previousUntil ? previousUntil.getTime() - DAY_MS : -Infinity;
    if (nowMs - rotatedMs >= ROTATION_PAUSE_MS) return;
    const message = 'belongs to a webhook that got a new secret less than a minute ago';
    throw new InvalidRequest([{ field: 'id', message }]);
  }
  if (previous === (previousUntil?.toISOString() ?? '')) return;
  const message = 'is not the current one: the webhook has got a new secret';
  throw new InvalidRequest([{ field: 'previous', message }]);
}

function known(webhook: Webhook | false | undefined): Webhook {
  if (!webhook) throw new NotFound('There is no webhook with this id.');
  return webhook;
}
