import type { Stripe } from 'stripe';
import { DAY_MS } from '#libs/platform';
import type { PaymentIntents } from './payment-intents.js';
import {
  type Invoice,
  type InvoiceLine,
  type InvoicePayment,
  type Subscription,
  type SubscriptionItem,
  listOf,
} from './stripe-objects.js';
import { StripeRefusal } from './requests/stripe-refusal.js';
import type { StripeWorld } from './stripe-world.js';

/** The behaviour of a customer's card when it is charged. */
export type CardBehaviour = 'works' | 'declines' | 'asks';

export interface BilledItem {
  item: Pick<SubscriptionItem, 'id' | 'price' | 'quantity' | 'subscription'>;
  amount: number;
  from: number;
  to: number;
  isProration: boolean;
}

/**
 * The smallest charge to a card, in hundredths of the currency; a smaller amount is carried over to the customer's next
 * invoice.
 */
export const CHARGE_MIN: Readonly<Record<string, number>> = { usd: 50, eur: 50, chf: 50, gbp: 30 };

/** When a payment is retried, as time since the invoice's creation. */
const RETRIES_MS = [3 * DAY_MS, 5 * DAY_MS, 7 * DAY_MS];

/** Returns the id of the card that belongs to a subscription or a customer. */
export const cardIdOf = (owner: string) => owner.replace(/^[a-z]+_/, 'pm_');

/** Simulates the invoices of subscriptions: creation, payment by the card on file, retries. */
export class Invoices {
  /** The behaviour of the cards, by id. */
  private readonly cards = new Map<string, CardBehaviour>();
  private readonly openPayments = new Map<string, InvoicePayment>();

  constructor(
    private readonly world: StripeWorld,
    private readonly payments: PaymentIntents,
    private readonly pageUrl: () => string,
  ) {}

  /** Creates a draft without storing it; also used for previews. */
  draft(
    subscription: Subscription,
    reason: Stripe.Invoice.BillingReason,
    items: readonly BilledItem[],
  ): Invoice {
    const id = this.world.newId('invoice');
    const lines = items.map((billed) => this.lineOf(id, subscription, billed));
    const subtotal = items.reduce((sum, { amount }) => sum + amount, 0);
    const total = subtotal - this.discountOf(subscription, subtotal);
    const { balance } = this.world.get('customer', subscription.customer);
    const charged = Math.max(0, total + balance);
    const isSmall = charged < (CHARGE_MIN[subscription.currency] ?? 0);
    return {
      id,
      object: 'invoice',
      amount_due: isSmall ? 0 : charged,
      amount_paid: 0,
      attempt_count: 0,
      billing_reason: reason,
      created: this.world.now,
      currency: subscription.currency,
      customer: subscription.customer,
      ending_balance: total + balance - (isSmall ? 0 : charged),
      hosted_invoice_url: `${this.pageUrl()}/stripe/invoice/${id}`,
      livemode: false,
      next_payment_attempt: null,
      starting_balance: balance,
      status: 'open',
      subtotal,
      total,
      lines: listOf(lines),
      parent: {
        type: 'subscription_details',
        subscription_details: { subscription: subscription.id },
      },
    };
  }

  /** Stores the finalized invoice and changes the customer's balance as the draft says. */
  store(invoice: Invoice): Invoice {
    this.world.put(invoice);
    this.moveBalance(invoice, 1);
    this.world.emit('v1.invoice.finalized', invoice);
    return invoice;
  }

  /** Charges the card on file. @returns whether the invoice is now paid. */
  attempt(invoice: Invoice): boolean {
    if (invoice.status === 'paid') return true;
    const card = this.cardFor(invoice);
    invoice.attempt_count += 1;
    if (card === 'works' || invoice.amount_due === 0) {
      this.pay(invoice);
      return true;
    }
    this.tell(invoice, card);
    const nextMs = RETRIES_MS[invoice.attempt_count - 1];
    invoice.next_payment_attempt =
      nextMs === undefined ? null : invoice.created + Math.floor(nextMs / 1000);
    this.world.emit(
      card === 'asks' ? 'v1.invoice.payment_action_required' : 'v1.invoice.payment_failed',
      invoice,
    );
    return false;
  }

  /** Records that the invoice is paid, by any method. */
  pay(invoice: Invoice): void {
    invoice.status = 'paid';
    invoice.amount_paid = invoice.amount_due;
    invoice.next_payment_attempt = null;
    if (invoice.amount_due > 0) this.payBy(invoice);
    this.world.emit('v1.invoice.paid', invoice);
  }

  /** Leaves the invoice open until the customer pays. The invoice's payment shows the reason. */
  leaveOpen(invoice: Invoice): void {
    const payment = this.payments.create(paymentOf(invoice), 'requires_payment_method');
    this.openPayments.set(invoice.id, this.invoicePayment(invoice, payment.id, 'open'));
    this.tell(invoice, this.cardFor(invoice));
  }

  void(invoice: Invoice): void {
    if (invoice.status !== 'open') return;
    invoice.status = 'void';
    this.openPayments.delete(invoice.id);
    this.moveBalance(invoice, -1);
    this.world.emit('v1.invoice.voided', invoice);
  }

  /** Returns an open invoice. @throws StripeRefusal if there is none. */
  open(id: string): Invoice {
    const invoice = this.world.get('invoice', id);
    if (invoice.status === 'open') return invoice;
    throw StripeRefusal.invalid('invoice_not_open', `This invoice is ${invoice.status}.`);
  }

  openOf(subscriptionId: string): Invoice[] {
    return this.world
      .all('invoice')
      .filter(
        ({ status, parent }) =>
          status === 'open' && parent.subscription_details.subscription === subscriptionId,
      );
  }

  cardOf(customerId: string): CardBehaviour {
    const { invoice_settings: settings } = this.world.get('customer', customerId);
    return this.cards.get(settings.default_payment_method ?? cardIdOf(customerId)) ?? 'works';
  }

  /** Changes the behaviour of all cards of a customer. */
  setCard(customerId: string, card: CardBehaviour): void {
    this.cards.set(cardIdOf(customerId), card);
    for (const { id, customer } of this.world.all('subscription')) {
      if (customer === customerId) this.cards.set(cardIdOf(id), card);
    }
  }

  /** Gives a customer another default card, as the portal does. */
  replaceCard(customerId: string, card: CardBehaviour): void {
    this.cards.set(cardIdOf(customerId), card);
    const { invoice_settings: settings } = this.world.get('customer', customerId);
    settings.default_payment_method = cardIdOf(customerId);
  }

  addOwnCard({ id, customer }: Subscription): void {
    this.cards.set(cardIdOf(id), this.cardOf(customer as string));
  }

  /** Gives a subscription the card that has paid a bill, if the subscription keeps such cards. */
  keepCard({ parent }: Invoice): void {
    const id = parent.subscription_details.subscription as string;
    const subscription = this.world.get('subscription', id);
    if (subscription.payment_settings.save_default_payment_method !== 'on_subscription') return;
    subscription.default_payment_method = cardIdOf(id);
    this.cards.set(cardIdOf(id), 'works');
  }

  private cardFor({ customer, parent }: Invoice): CardBehaviour {
    const id = parent.subscription_details.subscription as string;
    const { default_payment_method: own } = this.world.get('subscription', id);
    const { invoice_settings: settings } = this.world.get('customer', customer as string);
    // Without a card of the subscription or the customer, nothing can be paid automatically.
    if (own === null && settings.default_payment_method === null) return 'declines';
    return (
      (own === null ? undefined : this.cards.get(own as string)) ?? this.cardOf(customer as string)
    );
  }

  private payBy(invoice: Invoice): void {
    const open = this.openPayments.get(invoice.id);
    if (!open) {
      const { id } = this.payments.create(paymentOf(invoice), 'succeeded');
      this.invoicePayment(invoice, id, 'paid');
      return;
    }
    this.openPayments.delete(invoice.id);
    this.payments.succeed(this.intentOf(open));
    open.status = 'paid';
    open.amount_paid = invoice.amount_due;
  }

  private tell(invoice: Invoice, card: CardBehaviour): void {
    const open = this.openPayments.get(invoice.id);
    if (!open) return;
    this.intentOf(open).status = card === 'asks' ? 'requires_action' : 'requires_payment_method';
  }

  private intentOf({ payment }: InvoicePayment) {
    return this.world.get('payment_intent', payment.payment_intent as string);
  }

  private invoicePayment(
    invoice: Invoice,
    intentId: string,
    status: 'open' | 'paid',
  ): InvoicePayment {
    return this.world.put({
      id: this.world.newId('invoice_payment'),
      object: 'invoice_payment',
      amount_paid: status === 'paid' ? invoice.amount_due : null,
      created: this.world.now,
      currency: invoice.currency,
      invoice: invoice.id,
      payment: { type: 'payment_intent', payment_intent: intentId },
      status,
    } satisfies InvoicePayment);
  }

  private moveBalance(invoice: Invoice, sign: 1 | -1): void {
    const { starting_balance: before, ending_balance: after } = invoice;
    const customer = this.world.get('customer', invoice.customer);
    customer.balance += sign * ((after ?? 0) - before);
  }

  /** Returns the discount from a subscription's coupons, in cents. */
  private discountOf({ discounts }: Subscription, subtotal: number): number {
    return discounts.reduce((sum, id) => {
      const { percent_off: percent, amount_off: amount } = this.world.get('coupon', id);
      return Math.min(subtotal, sum + (amount ?? Math.round((subtotal * (percent ?? 0)) / 100)));
    }, 0);
  }

  private lineOf(
    invoice: string,
    subscription: Subscription,
    { item, amount, from, to, isProration }: BilledItem,
  ): InvoiceLine {
    return {
      id: this.world.newId('il'),
      object: 'line_item',
      amount,
      currency: subscription.currency,
      description: null,
      invoice,
      period: { start: from, end: to },
      quantity: item.quantity,
      parent: {
        type: 'subscription_item_details',
        subscription_item_details: {
          proration: isProration,
          subscription: subscription.id,
          subscription_item: item.id,
        },
      },
      pricing: {
        type: 'price_details',
        price_details: { price: item.price.id, product: item.price.product as string },
      },
    };
  }
}

function paymentOf({ amount_due: amount, currency, customer }: Invoice) {
  return { amount, currency, customer: customer as string, metadata: {} };
}
