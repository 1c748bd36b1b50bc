import { randomBytes } from 'node:crypto';
import { Stripe } from 'stripe';
import type { CallbackSender } from '../callback-sender.js';
import { keepLatest } from '../kept.js';
import type { VirtualClock } from '../virtual-clock.js';
import {
  type StripeObject,
  type ThinEvent,
  type ThinEventType,
  seconds,
  listOf,
} from './stripe-objects.js';
import { StripeRefusal } from './requests/stripe-refusal.js';

type KindOf<Name> = Extract<StripeObject, { object: Name }>;
type ObjectName = StripeObject['object'];

const ID_PREFIX: Readonly<Record<ObjectName, string>> = {
  'billing_portal.session': 'bps',
  'checkout.session': 'cs_test',
  coupon: 'co',
  customer: 'cus',
  dispute: 'du',
  invoice: 'in',
  invoice_payment: 'inpay',
  payment_intent: 'pi',
  price: 'price',
  refund: 're',
  subscription: 'sub',
  subscription_schedule: 'sub_sched',
};

const PATH: Readonly<Record<ObjectName, string>> = {
  'billing_portal.session': '/v1/billing_portal/sessions',
  'checkout.session': '/v1/checkout/sessions',
  coupon: '/v1/coupons',
  customer: '/v1/customers',
  dispute: '/v1/disputes',
  invoice: '/v1/invoices',
  invoice_payment: '/v1/invoice_payments',
  payment_intent: '/v1/payment_intents',
  price: '/v1/prices',
  refund: '/v1/refunds',
  subscription: '/v1/subscriptions',
  subscription_schedule: '/v1/subscription_schedules',
};

export class StripeWorld {
  /** The latest events, oldest first. */
  readonly events: ThinEvent[] = [];
  /** Returns twenty-four hexadecimal digits. */
  nextId = () => randomBytes(12).toString('hex');
  private readonly objects = new Map<string, StripeObject>();
  /**
   * The objects by kind. Without this index and the next one, each search would read all objects,
   * of which there may be 100,000.
   */
  private readonly kinds = new Map<ObjectName, Map<string, StripeObject>>();
  private readonly paymentsOfInvoices = new Map<string, KindOf<'invoice_payment'>[]>();

  constructor(
    readonly clock: VirtualClock,
    private readonly sender: CallbackSender,
  ) {}

  get now(): number {
    return seconds(this.clock.now());
  }

  newId(object: ObjectName | 'ch' | 'evt_test' | 'il' | 'prod' | 'si'): string {
    return `${ID_PREFIX[object as ObjectName] ?? object}_${this.nextId()}`;
  }

  put<T extends StripeObject>(object: T): T {
    this.objects.set(object.id, object);
    getOrAdd(this.kinds, object.object, () => new Map()).set(object.id, object);
    if (object.object === 'invoice_payment') {
      getOrAdd(this.paymentsOfInvoices, String(object.invoice), () => []).unshift(object);
    }
    return object;
  }

  /** Returns an object. @throws StripeRefusal if there is no such object. */
  get<Name extends ObjectName>(object: Name, id: unknown): KindOf<Name> {
    const found = this.objects.get(String(id));
    if (found?.object !== object) throw StripeRefusal.missing(object, String(id));
    return found as KindOf<Name>;
  }

  /** Returns the object whose id is the value of a parameter. @throws StripeRefusal if there is no such object. */
  named<Name extends ObjectName>(object: Name, id: unknown, param: string): KindOf<Name> {
    const found = this.objects.get(String(id));
    if (found?.object === object) return found as KindOf<Name>;
    throw StripeRefusal.missingReference(object, String(id), param);
  }

  /** Returns a customer. @throws StripeRefusal for an unknown customer. */
  customer(id: string): KindOf<'customer'> {
    return this.named('customer', id, 'customer');
  }

  /** Lists objects of a kind, newest first, as Stripe does. */
  all<Name extends ObjectName>(object: Name): KindOf<Name>[] {
    return [...(this.kinds.get(object)?.values() ?? [])].reverse() as KindOf<Name>[];
  }

  /** Returns a copy of an object with the references at the given paths replaced with the objects. */
  expanded(object: object, paths: readonly string[]): object {
    const copy = structuredClone(object) as Record<string, unknown>;
    for (const path of paths) this.expandOne(copy, path.split('.'));
    return copy;
  }

  get callbackTarget() {
    return this.sender.target;
  }

  /** Records an event about an object and sends it to the callback endpoint. */
  emit(type: ThinEventType, { id, object }: Pick<StripeObject, 'id' | 'object'>): void {
    const event: ThinEvent = {
      id: this.newId('evt_test'),
      object: 'v2.core.event',
      created: this.clock.now().toISOString(),
      livemode: false,
      type,
      related_object: { id, type: object, url: `${PATH[object]}/${id}` },
    };
    keepLatest(this.events, event);
    const payload = JSON.stringify(event);
    this.sender.send({
      id: event.id,
      type,
      body: payload,
      headers: (secret) => ({
        'stripe-signature': Stripe.webhooks.generateTestHeaderString({
          payload,
          secret,
          timestamp: this.now,
        }),
      }),
    });
  }

  private expandOne(value: unknown, [name, ...rest]: string[]): void {
    if (name === undefined || typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) {
      for (const member of value) this.expandOne(member, [name, ...rest]);
      return;
    }
    const holder = value as Record<string, unknown>;
    // Members that are included only on request.
    if (name === 'payments' && holder.object === 'invoice') {
      const payments = this.paymentsOfInvoices.get(String(holder.id)) ?? [];
      holder.payments = listOf(structuredClone(payments));
    }
    const reference = holder[name];
    const known = typeof reference === 'string' ? this.objects.get(reference) : undefined;
    if (known) holder[name] = structuredClone(known);
    this.expandOne(holder[name], rest);
  }
}

function getOrAdd<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
