import { randomBytes } from 'node:crypto';
import type { CallbackSender } from '../callback-sender.js';
import { keepLatest } from '../kept.js';
import type { VirtualClock } from '../virtual-clock.js';
import type { CallbackIdentity } from './callback-identity.js';
import type { Link, PaypalKinds, WebhookEvent } from './paypal-objects.js';
import { PaypalRefusal } from './paypal-refusal.js';

type Kind = keyof PaypalKinds;

export interface PaypalWorldParts {
  clock: VirtualClock;
  sender: CallbackSender;
  identity: CallbackIdentity;
  url: () => string;
}

export class PaypalWorld {
  /** The latest events, oldest first. */
  readonly events: WebhookEvent[] = [];
  /** Returns at least seventeen hexadecimal digits. */
  nextId = () => randomBytes(9).toString('hex');
  private readonly kinds = new Map<Kind, Map<string, PaypalKinds[Kind]>>();

  constructor(private readonly parts: PaypalWorldParts) {}

  /** The URL and the id of the webhook; the id takes the place of a secret. */
  get callbackTarget() {
    return this.parts.sender.target;
  }

  get clock(): VirtualClock {
    return this.parts.clock;
  }

  get now(): string {
    return this.clock.now().toISOString();
  }

  /** Makes an id of seventeen letters and digits, like PayPal's. */
  newId(): string {
    return this.nextId().slice(0, 17).toUpperCase();
  }

  link(rel: string, path: string, method: Link['method'] = 'GET'): Link {
    return { href: `${this.parts.url()}${path}`, rel, method };
  }

  put<K extends Kind>(kind: K, id: string, object: PaypalKinds[K]): PaypalKinds[K] {
    const known = this.kinds.get(kind) ?? new Map<string, PaypalKinds[Kind]>();
    this.kinds.set(kind, known.set(id, object));
    return object;
  }

  /** Returns an object. @throws PaypalRefusal if there is no such object. */
  get<K extends Kind>(kind: K, id: string): PaypalKinds[K] {
    const found = this.kinds.get(kind)?.get(id);
    if (found === undefined) throw PaypalRefusal.missing();
    return found as PaypalKinds[K];
  }

  all<K extends Kind>(kind: K): PaypalKinds[K][] {
    return [...(this.kinds.get(kind)?.values() ?? [])] as PaypalKinds[K][];
  }

  /** Records an event about an object and sends it to the callback endpoint. */
  emit(type: string, resourceType: string, resource: object): void {
    const id = `WH-${this.newId()}-${this.newId()}`;
    const path = `/v1/notifications/webhooks-events/${id}`;
    const event: WebhookEvent = {
      id,
      event_version: '1.0',
      create_time: this.now,
      resource_type: resourceType,
      event_type: type,
      summary: `Simulated: ${type}`,
      resource: structuredClone(resource),
      links: [this.link('self', path), this.link('resend', `${path}/resend`, 'POST')],
    };
    keepLatest(this.events, event);
    const body = JSON.stringify(event);
    const { identity, sender } = this.parts;
    const headers = (webhookId: string) => identity.headersFor(body, webhookId);
    sender.send({ id, type, body, headers });
  }
}
