import { CallbackSender } from '../callback-sender.js';
import type { PageAnswer } from '../simulator-page.js';
import type { VirtualClock } from '../virtual-clock.js';
import { ApprovalPages } from './approval-pages.js';
import { CallbackIdentity } from './callback-identity.js';
import { Captures } from './captures.js';
import { Orders } from './orders.js';
import { PaypalApi } from './paypal-api.js';
import { PaypalWorld } from './paypal-world.js';

/** Where PayPal is on the simulators' server. */
export const PAYPAL_PATH = '/paypal';

/** PayPal: its API, its approval pages, its callbacks with a certificate of its own. */
export class PaypalSimulator {
  /** Its target's secret is the id of the endpoint at PayPal, which is part of what is signed. */
  readonly callbacks = new CallbackSender();
  readonly identity: CallbackIdentity;
  readonly world: PaypalWorld;
  readonly orders: Orders;
  readonly captures: Captures;
  readonly api: PaypalApi;
  private readonly pages: ApprovalPages;

  constructor(clock: VirtualClock, serverUrl: () => string) {
    const url = () => `${serverUrl()}${PAYPAL_PATH}`;
    this.identity = new CallbackIdentity(clock, url);
    this.world = new PaypalWorld({ clock, sender: this.callbacks, identity: this.identity, url });
    this.orders = new Orders(this.world);
    this.captures = new Captures(this.world);
    this.api = new PaypalApi(this.world, this.identity, this);
    this.pages = new ApprovalPages(this.world, this.orders, PAYPAL_PATH);
  }

  /** A page by its path below PayPal's. */
  page(method: string, path: string): PageAnswer {
    const [, id = '', action] = path.split('/').slice(1);
    const pressed = method === 'POST' ? action : undefined;
    return pressed === undefined ? this.pages.show(id) : this.pages.press(id, pressed);
  }
}
