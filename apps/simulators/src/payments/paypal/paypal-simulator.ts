import type { ApiFaults } from '../api-faults.js';
import { CallbackSender } from '../callback-sender.js';
import type { PageAnswer } from '../simulator-page.js';
import type { VirtualClock } from '../virtual-clock.js';
import { AgreementPages } from './agreement-pages.js';
import { ApprovalPages } from './approval-pages.js';
import { CallbackIdentity } from './callback-identity.js';
import { Captures } from './captures.js';
import { Orders } from './orders.js';
import { PaypalApi } from './paypal-api.js';
import { PaypalWorld } from './paypal-world.js';
import { Plans } from './plans.js';
import { Subscriptions } from './subscriptions.js';

export const PAYPAL_PATH = '/paypal';

/** Simulates PayPal: its API, its approval pages, and its callbacks, which it signs with its own certificate. */
export class PaypalSimulator {
  /** The secret of the callback target is the endpoint's id at PayPal, which is part of the signed text. */
  readonly callbacks = new CallbackSender();
  readonly identity: CallbackIdentity;
  readonly world: PaypalWorld;
  readonly orders: Orders;
  readonly captures: Captures;
  readonly api: PaypalApi;
  readonly subscriptions: Subscriptions;
  private readonly approvals: ApprovalPages;
  private readonly agreements: AgreementPages;

  constructor(clock: VirtualClock, faults: ApiFaults, serverUrl: () => string) {
    const url = () => `${serverUrl()}${PAYPAL_PATH}`;
    this.identity = new CallbackIdentity(clock, url);
    this.world = new PaypalWorld({ clock, sender: this.callbacks, identity: this.identity, url });
    this.orders = new Orders(this.world);
    this.captures = new Captures(this.world, faults);
    const plans = new Plans(this.world);
    const subscriptions = new Subscriptions(this.world, plans);
    this.subscriptions = subscriptions;
    this.approvals = new ApprovalPages(this.world, this.orders, PAYPAL_PATH);
    this.agreements = new AgreementPages(this.world, subscriptions, PAYPAL_PATH);
    const { agreements, captures, orders } = this;
    const parts = { agreements, captures, orders, plans, subscriptions };
    this.api = new PaypalApi(this.world, this.identity, parts);
  }

  /** Returns the page at a path below `PAYPAL_PATH`; a POST first presses the button that the path names. */
  page(method: string, path: string): PageAnswer {
    const [page, id = '', action] = path.split('/').slice(1);
    const pressed = method === 'POST' ? action : undefined;
    const { approvals, agreements } = this;
    switch (page) {
      case 'subscribe':
        return pressed === undefined
          ? agreements.showSubscription(id)
          : agreements.pressSubscription(id, pressed);
      case 'revise':
        return pressed === undefined
          ? agreements.showRevision(id)
          : agreements.pressRevision(id, pressed);
      case 'myaccount':
        return pressed === undefined ? agreements.showAccount() : agreements.pressAccount(pressed);
      default:
        return pressed === undefined ? approvals.show(id) : approvals.press(id, pressed);
    }
  }
}
