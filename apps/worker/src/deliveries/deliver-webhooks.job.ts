import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '#libs/database';
import { type Mail, MailOutbox, composeMail } from '#libs/mail';
import { Clock, Logger, SECOND_MS, crashPoint } from '#libs/platform';
import { type Later, type Work, WorkRunner, later } from '#libs/work';
import { ServiceClients } from '../service-clients.js';
import { WorkerConfig } from '../worker.config.js';
import { DeliveriesRepository } from './deliveries.repository.js';
import { type AddressedDelivery, RETRY_PAUSES_MS } from './delivery.js';
import type { TryOutcome } from './try-outcome.js';
import { DeliveryQueue, type DeliveryWork } from './delivery-queue.js';
import { DeliverySlots } from './delivery-slots.js';
import { signatureOf } from './signature.js';
import { WebhookSender } from './webhook-sender.js';

const AT_ONCE = 96;
const GONE = 410;
/** The interval at which a waiting delivery checks whether its account is active again. */
const CLOSED_WAIT_SECONDS = 300;

@Injectable()
export class DeliveryFeatures {
  constructor(
    readonly deliveries: DeliveriesRepository,
    readonly sender: WebhookSender,
    readonly clients: ServiceClients,
    readonly mails: MailOutbox,
    readonly config: WorkerConfig,
  ) {}
}

/** Sends events to webhooks until the webhooks accept them, answer with 410 (gone), or about three days have passed. */
@Injectable()
export class DeliverWebhooksJob extends WorkRunner<DeliveryWork> {
  private readonly slots = new DeliverySlots(AT_ONCE);

  constructor(
    private readonly database: Database,
    queue: DeliveryQueue,
    private readonly features: DeliveryFeatures,
    private readonly clock: Clock,
    logger: Logger,
  ) {
    super({ queue, database, logger, concurrency: AT_ONCE });
  }

  protected async handle(work: Work<DeliveryWork>): Promise<Later | void> {
    const { deliveries } = this.features;
    const delivery = await deliveries.findAddressed(this.database, work.payload.deliveryId);
    if (delivery?.state !== 'pending') return;
    if (delivery.webhookState !== 'active') return this.giveBack(work, delivery);
    if (!delivery.mayBeSent) return later(CLOSED_WAIT_SECONDS);
    const slot = this.slots.take(delivery);
    if (typeof slot === 'number') return later(slot);
    try {
      const outcome = await this.send(delivery, work.signal);
      crashPoint('delivery.after-send');
      work.signal.throwIfAborted();
      return await this.settle(work, delivery, outcome);
    } finally {
      slot();
    }
  }

  private async send(delivery: AddressedDelivery, signal: AbortSignal): Promise<TryOutcome> {
    const { id, body, url, secret, previousSecret, previousUntil } = delivery;
    const now = this.clock.now();
    const isRotating = previousSecret && previousUntil && previousUntil > now;
    const secrets = isRotating ? [secret, previousSecret] : [secret];
    const timestamp = Math.floor(now.getTime() / SECOND_MS);
    const headers = {
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signatureOf({ id, timestamp, body }, secrets),
    };
    return this.features.sender.send(url, { headers, body, signal });
  }

  private async settle(
    work: Work<DeliveryWork>,
    delivery: AddressedDelivery,
    outcome: TryOutcome,
  ): Promise<Later | void> {
    const { deliveries, mails } = this.features;
    const { fault, responseStatus } = outcome;
    const pauseMs = RETRY_PAUSES_MS.at(delivery.tries);
    const isOver = pauseMs === undefined || responseStatus === GONE;
    const isLast = fault !== undefined && isOver;
    const isDead =
      isLast &&
      (responseStatus === GONE || !(await deliveries.hasArrivedSince(this.database, delivery)));
    const mail = isDead ? await this.disabledMail(delivery) : undefined;
    const failed = isLast ? 'failed' : 'pending';
    const state = fault === undefined ? 'delivered' : failed;
    const isNoted = await this.database.transaction(async (transaction: Transaction) => {
      const at = this.clock.now();
      const isKept = await deliveries.putTry(transaction, delivery, { ...outcome, state, at });
      // The owner has sent the event again in the meantime, so the delivery starts over, whatever the result of this
      // attempt.
      if (!isKept) return false;
      if (isDead && (await deliveries.disable(transaction, delivery)) && mail) {
        await mails.add(transaction, delivery.accountId, mail);
      }
      if (state !== 'pending') await work.finish(transaction);
      crashPoint('delivery.before-commit');
      return true;
    });
    crashPoint('delivery.after-commit');
    if (!isNoted) return later(0);
    return state === 'pending' ? later((pauseMs ?? 0) / SECOND_MS) : undefined;
  }

  /**
   * Marks a delivery to an inactive webhook as failed. Its event stays in the log and can be sent
   * again once the webhook is active.
   */
  private async giveBack(work: Work<DeliveryWork>, delivery: AddressedDelivery): Promise<void> {
    await this.database.transaction(async (transaction) => {
      await this.features.deliveries.setFailed(transaction, delivery, 'webhook_not_active');
      await work.finish(transaction);
    });
  }

  private async disabledMail({ accountId, url }: AddressedDelivery): Promise<Mail | undefined> {
    const { clients, config } = this.features;
    const email = await clients.mailAddressOf(accountId);
    if (email === undefined) return undefined;
    return composeMail(email, {
      subject: 'A webhook was disabled',
      paragraphs: [
        `${new URL(url).hostname} has accepted no event for three days, or has answered that it is gone. We no longer send events to it.`,
        'When it works again, reactivate the webhook. Events that it has missed so far stay in its log for 30 days and can be sent again; events that occur before you reactivate it are lost.',
      ],
      action: { label: 'Open the webhooks', url: `${config.dashboardUrl}/webhooks` },
    });
  }
}
