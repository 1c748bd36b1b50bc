import { type PageAnswer, amountText } from '../simulator-page.js';
import type { Funding, Orders } from './orders.js';
import { toCents } from './paypal-objects.js';
import type { PaypalWorld } from './paypal-world.js';

const TITLE = 'PayPal checkout';
const FUNDINGS: Readonly<Record<string, Funding>> = {
  pay: 'pays',
  authenticate: 'pays',
  decline: 'declines',
  delayed: 'is-reviewed',
  'delayed-failing': 'fails-review',
};

export class ApprovalPages {
  constructor(
    private readonly world: PaypalWorld,
    private readonly orders: Orders,
    private readonly pagePath: string,
  ) {}

  show(id: string): PageAnswer {
    const { status, purchase_units: units } = this.world.get('order', id);
    const { amount } = units[0];
    const price = amountText(toCents(amount), amount.currency_code);
    if (status === 'COMPLETED') {
      return { page: { title: TITLE, lines: ['This order is paid.'], buttons: [] } };
    }
    const button = (action: string, label: string) => this.button(id, action, label);
    const buttons = [
      button('pay', `Pay ${price}`),
      button('three-d-secure', 'Pay with a card that asks for 3-D Secure'),
      button('decline', 'Pay with a card that is declined afterwards'),
      button('delayed', 'Pay; PayPal reviews it and lets it through after three days'),
      button('delayed-failing', 'Pay; PayPal reviews it and refuses it after three days'),
      button('abandon', 'Cancel and go back'),
    ];
    return { page: { title: TITLE, lines: [`Amount due: ${price}`], buttons } };
  }

  press(id: string, action: string): PageAnswer {
    const { payment_source: source } = this.world.get('order', id);
    const { return_url: returnUrl, cancel_url: cancelUrl } = source.paypal.experience_context;
    if (action === 'three-d-secure') return this.askBank(id);
    const funding = FUNDINGS[action];
    if (funding === undefined) return { redirectTo: withQuery(cancelUrl, { token: id }) };
    this.orders.approve(id, funding);
    return { redirectTo: withQuery(returnUrl, { token: id, PayerID: 'SIMULATED' }) };
  }

  private askBank(id: string): PageAnswer {
    const buttons = [
      this.button(id, 'authenticate', 'Complete authentication'),
      this.button(id, 'abandon', 'Cancel and go back'),
    ];
    const lines = ['Your bank asks you to confirm this payment.'];
    return { page: { title: '3-D Secure', lines, buttons } };
  }

  private button(id: string, action: string, label: string) {
    return { action: `${this.pagePath}/checkoutnow/${id}/${action}`, label };
  }
}

export function withQuery(address: string, members: Record<string, string>): string {
  const url = new URL(address);
  for (const [name, text] of Object.entries(members)) url.searchParams.append(name, text);
  return url.href;
}
