import { type PageAnswer, type PageButton, amountText } from '../simulator-page.js';
import { withQuery } from './approval-pages.js';
import { type ExperienceContext, type Link, toCents } from './paypal-objects.js';
import { PaypalRefusal } from './paypal-refusal.js';
import type { PaypalWorld } from './paypal-world.js';
import type { Subscriptions } from './subscriptions.js';

interface Revision {
  subscriptionId: string;
  planId: string;
  quantity: string;
  context: ExperienceContext;
}

/** The parameters of `POST /v1/billing/subscriptions/{id}/revise`. */
export interface ReviseParams {
  plan_id: string;
  quantity: string;
  application_context: ExperienceContext;
}

const TITLE = 'PayPal automatic payments';

export class AgreementPages {
  private readonly revisions = new Map<string, Revision>();

  constructor(
    private readonly world: PaypalWorld,
    private readonly subscriptions: Subscriptions,
    private readonly pagePath: string,
  ) {}

  /**
   * Prepares a change of plan, which takes effect only when the customer approves it on the page in the link `approve`.
   */
  revise(id: string, params: ReviseParams): { plan_id: string; links: Link[] } {
    this.subscriptions.withStatus(id, ['ACTIVE', 'SUSPENDED']);
    const { plan_id: planId, quantity, application_context: context } = params;
    this.world.get('plan', planId);
    const token = `BA-${this.world.newId()}`;
    this.revisions.set(token, { subscriptionId: id, planId, quantity, context });
    return { plan_id: planId, links: [this.world.link('approve', `/revise/${token}`)] };
  }

  showSubscription(id: string): PageAnswer {
    const subscription = this.world.get('subscription', id);
    const { amount, name } = this.priceOf(subscription.plan_id, subscription.quantity);
    if (subscription.status !== 'APPROVAL_PENDING') {
      const lines = [`This subscription is ${subscription.status.toLowerCase()}.`];
      return { page: { title: TITLE, lines, buttons: [] } };
    }
    const buttons = [
      this.button('subscribe', id, 'pay', `Agree and pay ${amount}`),
      this.button('subscribe', id, 'abandon', 'Cancel and go back'),
    ];
    const lines = [name, `Amount due now and in each period: ${amount}`];
    return { page: { title: TITLE, lines, buttons } };
  }

  pressSubscription(id: string, action: string): PageAnswer {
    const { application_context: context } = this.world.get('subscription', id);
    if (!context) return this.showSubscription(id);
    if (action !== 'pay') return { redirectTo: context.cancel_url };
    this.subscriptions.approve(id);
    return { redirectTo: withQuery(context.return_url, { subscription_id: id }) };
  }

  showRevision(token: string): PageAnswer {
    const { planId, quantity } = this.revision(token);
    const { amount, name } = this.priceOf(planId, quantity);
    const lines = [`From the next period on: ${name}, ${amount} in each period.`];
    const buttons = [
      this.button('revise', token, 'agree', 'Agree'),
      this.button('revise', token, 'abandon', 'Cancel and go back'),
    ];
    return { page: { title: TITLE, lines, buttons } };
  }

  pressRevision(token: string, action: string): PageAnswer {
    const { subscriptionId, context, ...plan } = this.revision(token);
    if (action !== 'agree') return { redirectTo: context.cancel_url };
    this.subscriptions.takeRevision(subscriptionId, plan);
    const query = { subscription_id: subscriptionId, ba_token: token };
    return { redirectTo: withQuery(context.return_url, query) };
  }

  /** Shows the page of the payer's account, whose buttons decide whether the account can pay. */
  showAccount(): PageAnswer {
    const running = this.world.all('subscription').map(({ id, status }) => `${id}: ${status}`);
    const buttons = [
      this.button('myaccount', 'autopay', 'works', 'Pay with an account that has money'),
      this.button('myaccount', 'autopay', 'declines', 'Pay with an account that has none'),
    ];
    return { page: { title: TITLE, lines: running, buttons } };
  }

  pressAccount(action: string): PageAnswer {
    this.subscriptions.setFunds(action === 'declines' ? 'declines' : 'works');
    return this.showAccount();
  }

  private revision(token: string): Revision {
    const revision = this.revisions.get(token);
    if (!revision) throw PaypalRefusal.missing();
    return revision;
  }

  private priceOf(planId: string, quantity: string): { amount: string; name: string } {
    const { name, billing_cycles: cycles } = this.world.get('plan', planId);
    const { fixed_price: unit } = cycles[0].pricing_scheme;
    const cents = toCents(unit) * Number(quantity);
    return { name, amount: amountText(cents, unit.currency_code) };
  }

  private button(page: string, id: string, action: string, label: string): PageButton {
    return { action: `${this.pagePath}/${page}/${id}/${action}`, label };
  }
}
