import { type PageAnswer, amountText } from '../../simulator-page.js';
import type { CheckoutSessions } from '../checkout-sessions.js';
import type { CheckoutSession } from '../stripe-objects.js';
import type { StripeWorld } from '../stripe-world.js';

export class CheckoutPages {
  constructor(
    private readonly world: StripeWorld,
    private readonly sessions: CheckoutSessions,
  ) {}

  show(id: string, notice?: string): PageAnswer {
    const session = this.world.get('checkout.session', id);
    const amount = amountText(session.amount_total ?? 0, session.currency ?? 'usd');
    if (session.status !== 'open') {
      const lines = [`This checkout is ${session.status}.`];
      return { page: { title: 'Stripe Checkout', lines, buttons: [] } };
    }
    const button = (action: string, label: string) => ({
      action: `/stripe/checkout/${id}/${action}`,
      label,
    });
    const adaptive = 'You can pay in your own currency, at Stripe’s rate.';
    const lines = [
      `Amount due: ${amount}`,
      ...(this.sessions.isAdaptive(session) ? [adaptive] : []),
      ...(notice ? [notice] : []),
    ];
    const debits = [
      button('delayed', 'Pay by bank debit: succeeds after three days'),
      button('delayed-failing', 'Pay by bank debit: fails after three days'),
    ];
    const buttons = [
      button('pay', `Pay ${amount}`),
      button('three-d-secure', 'Pay with a card that asks for 3-D Secure'),
      button('decline', 'Pay with a card that is declined'),
      ...(this.sessions.takesDebits(session) ? debits : []),
      button('abandon', 'Go back without paying'),
    ];
    return { page: { title: 'Stripe Checkout', lines, buttons } };
  }

  press(id: string, action: string): PageAnswer {
    switch (action) {
      case 'pay':
      case 'authenticate':
        return returning(this.sessions.pay(id));
      case 'delayed':
        return returning(this.sessions.payDelayed(id, 'succeeds'));
      case 'delayed-failing':
        return returning(this.sessions.payDelayed(id, 'fails'));
      case 'three-d-secure':
        return this.askBank(id);
      case 'decline':
        this.sessions.decline(id);
        return this.show(id, 'Your card was declined. Try another one.');
      case 'refuse':
        this.sessions.decline(id);
        return this.show(id, 'Your bank could not authenticate you. Try another card.');
      default:
        return { redirectTo: this.world.get('checkout.session', id).cancel_url ?? '/' };
    }
  }

  private askBank(id: string): PageAnswer {
    const path = `/stripe/checkout/${id}`;
    const buttons = [
      { action: `${path}/authenticate`, label: 'Complete authentication' },
      { action: `${path}/refuse`, label: 'Fail authentication' },
    ];
    const lines = ['Your bank asks you to confirm this payment.'];
    return { page: { title: '3-D Secure', lines, buttons } };
  }
}

function returning({ id, success_url }: CheckoutSession): PageAnswer {
  return { redirectTo: (success_url ?? '/').replaceAll('{CHECKOUT_SESSION_ID}', id) };
}
