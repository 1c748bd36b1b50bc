import { type PageAnswer, amountText } from '../../simulator-page.js';
import type { CardBehaviour, Invoices } from '../invoices.js';
import type { PortalSession } from '../stripe-objects.js';
import type { StripeWorld } from '../stripe-world.js';
import type { Subscriptions } from '../subscriptions.js';

const CARDS: Readonly<Record<string, CardBehaviour>> = {
  'card-works': 'works',
  'card-declines': 'declines',
  'card-asks': 'asks',
};

/** The pages to which a subscriber is sent: the billing portal, and the page of an unpaid invoice. */
export class CustomerPages {
  constructor(
    private readonly world: StripeWorld,
    private readonly subscriptions: Subscriptions,
    private readonly invoices: Invoices,
  ) {}

  /** `POST /v1/billing_portal/sessions`. */
  createPortal(customer: string, returnUrl: string | null, pageUrl: string): PortalSession {
    const id = this.world.newId('billing_portal.session');
    return this.world.put({
      id,
      object: 'billing_portal.session',
      created: this.world.now,
      customer: this.world.customer(customer).id,
      livemode: false,
      return_url: returnUrl,
      url: `${pageUrl}/stripe/portal/${id}`,
    } satisfies PortalSession);
  }

  showPortal(id: string): PageAnswer {
    const customer = this.world.get('billing_portal.session', id).customer as string;
    const button = (action: string, label: string) => ({
      action: `/stripe/portal/${id}/${action}`,
      label,
    });
    const lines = [`The card on file: ${this.invoices.cardOf(customer)}.`];
    const buttons = [
      button('card-works', 'Use a card that works'),
      button('card-declines', 'Use a card that is declined'),
      button('card-asks', 'Use a card that asks for 3-D Secure at each payment'),
      button('return', 'Go back'),
    ];
    return { page: { title: 'Payment details', lines, buttons } };
  }

  /** Handles a button press. Open invoices of running plans are charged at once to a newly chosen card. */
  pressPortal(id: string, action: string): PageAnswer {
    const session = this.world.get('billing_portal.session', id);
    const card = CARDS[action];
    if (card === undefined) return { redirectTo: session.return_url ?? '/' };
    this.invoices.replaceCard(session.customer as string, card);
    for (const { id: subscriptionId, customer, status } of this.world.all('subscription')) {
      if (customer !== session.customer || status === 'canceled') continue;
      for (const invoice of this.invoices.openOf(subscriptionId)) this.pay(invoice.id);
    }
    return this.showPortal(id);
  }

  showInvoice(id: string): PageAnswer {
    const { status, amount_due: due, currency } = this.world.get('invoice', id);
    const lines = [`Invoice over ${amountText(due, currency)}: ${status}.`];
    const buttons =
      status === 'open' ? [{ action: `/stripe/invoice/${id}/pay`, label: 'Pay' }] : [];
    return { page: { title: 'Invoice', lines, buttons } };
  }

  /** Pays an invoice; the customer is present and can authenticate. */
  pressInvoice(id: string): PageAnswer {
    const invoice = this.invoices.open(id);
    this.invoices.pay(invoice);
    this.invoices.keepCard(invoice);
    this.subscriptions.onPaid(invoice);
    return this.showInvoice(id);
  }

  /** `POST /v1/invoices/{id}/pay`: charges the card on file. */
  pay(id: string): void {
    const invoice = this.invoices.open(id);
    if (this.invoices.attempt(invoice)) this.subscriptions.onPaid(invoice);
  }
}
