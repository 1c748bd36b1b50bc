import type { Stripe } from 'stripe';
import { newId } from '#libs/platform';
import type { StripeSchedules } from './stripe-schedules.js';
import { idOf } from './stripe-snapshots.js';

const EXPAND = ['latest_invoice', 'schedule', 'customer'];

/** Lets customers change the cards that pay for their subscriptions. */
export class StripeCards {
  constructor(
    private readonly stripe: Stripe,
    private readonly schedules: StripeSchedules,
  ) {}

  /**
   * Returns the page on which a customer enters another card. For an overdue subscription, this is the payment page of
   * the open bill: the bill is paid at once, and the subscription keeps the new card. Otherwise, it is the portal's
   * page, which changes the customer's default card.
   */
  async pageOf(customer: string, returnUrl: string, subscriptionId?: string): Promise<string> {
    if (subscriptionId !== undefined) {
      const options = { expand: EXPAND };
      const subscription = await this.stripe.subscriptions.retrieve(subscriptionId, options);
      const payPage = overduePageOf(subscription);
      if (payPage) {
        const params = { payment_settings: { save_default_payment_method: 'on_subscription' } };
        await this.update(subscriptionId, params);
        return payPage;
      }
      await this.giveUpCard(subscription);
    }
    const session = await this.stripe.billingPortal.sessions.create({
      customer,
      return_url: returnUrl,
      flow_data: { type: 'payment_method_update' },
    });
    return session.url;
  }

  /**
   * Lets a subscription follow its customer's default card. The checkout gave the subscription a card of its own, which
   * would take precedence. That card becomes the default, so that it is still charged if the customer enters no other
   * card.
   */
  private async giveUpCard(subscription: Stripe.Subscription): Promise<void> {
    const { customer, default_payment_method: own } = subscription;
    if (!own) return;
    await this.keepOtherCards(subscription);
    await this.stripe.customers.update(
      idOf(customer),
      { invoice_settings: { default_payment_method: idOf(own) } },
      { idempotencyKey: `card:${newId()}` },
    );
    await this.setCard(subscription, null);
  }

  /** Lets the customer's other subscriptions keep the default card that pays for them, because another becomes it. */
  private async keepOtherCards({ id, customer }: Stripe.Subscription): Promise<void> {
    const { invoice_settings: settings } = customer as Stripe.Customer;
    if (!settings.default_payment_method) return;
    const card = idOf(settings.default_payment_method);
    const asked = { customer: idOf(customer), limit: 100, expand: ['data.schedule'] };
    for await (const other of this.stripe.subscriptions.list(asked)) {
      // Before its first payment, Stripe does not change the card of a subscription.
      const isPaid = !other.status.startsWith('incomplete');
      if (isPaid && other.id !== id && !other.default_payment_method) {
        await this.setCard(other, card);
      }
    }
  }

  /**
   * Sets the card that pays. A waiting change comes first, because another attempt would skip a subscription that has
   * the card already.
   * @param card null for the customer's default card.
   */
  private async setCard(subscription: Stripe.Subscription, card: string | null): Promise<void> {
    await this.schedules.followCard({ ...subscription, default_payment_method: card }, newId());
    await this.update(subscription.id, { default_payment_method: card ?? '' });
  }

  private async update(id: string, params: Stripe.SubscriptionUpdateParams): Promise<void> {
    await this.stripe.subscriptions.update(id, params, { idempotencyKey: `card:${newId()}` });
  }
}

/** Returns the page on which an overdue subscription is paid; undefined if it is not overdue. */
function overduePageOf({ status, latest_invoice: bill }: Stripe.Subscription): string | undefined {
  if (status !== 'past_due' || typeof bill !== 'object' || bill?.status !== 'open')
    return undefined;
  return bill.hosted_invoice_url ?? undefined;
}
