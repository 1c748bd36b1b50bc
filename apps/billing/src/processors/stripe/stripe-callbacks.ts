import { Stripe } from 'stripe';
import type { Clock } from '#libs/platform';
import type { CallbackRejection, CallbackVerdict, ProcessorEvent } from '../payment-processor.js';
import { refOf } from './stripe-snapshots.js';

type RelatedObject = Stripe.V2.Core.Events.RelatedObject;

/** The permitted characters of ids. Other characters, such as NUL, could not be stored. */
const NAME = /^[\w-]{1,255}$/;
/** The maximum age of a signature, and how far it may be in the future (S42). */
const TOLERANCE_SECONDS = 300;
/** The tolerance passed to the SDK. We check the time ourselves, because the SDK accepts any time in the future. */
const ANY_AGE = 0;

export interface StripeCallbackOptions {
  stripe: Stripe;
  clock: Clock;
  /** Returns the secrets, the current secret first; two during a rotation (S43). */
  secrets: () => readonly string[];
  isLive: boolean;
}

/** Verifies the callbacks of one Stripe account (thin events). */
export class StripeCallbacks {
  constructor(private readonly options: StripeCallbackOptions) {}

  verify(raw: Buffer, headers: Record<string, unknown>): CallbackVerdict {
    const header = headers['stripe-signature'];
    const signedAt = typeof header === 'string' ? signedAtOf(header) : undefined;
    if (typeof header !== 'string' || signedAt === undefined) return rejected('unsigned');
    if (!this.isSigned(raw, header)) return rejected('wrong_signature');
    const nowSeconds = this.options.clock.now().getTime() / 1000;
    if (Math.abs(nowSeconds - signedAt) > TOLERANCE_SECONDS) return rejected('stale');
    const notification = this.parse(raw);
    if (!notification) return rejected('malformed');
    if (notification.livemode !== this.options.isLive) return rejected('wrong_mode');
    // An event has a context if it is sent to a platform or an organization, for one of its accounts (S45).
    if (notification.context) return rejected('wrong_account');
    return { verdict: 'accepted', event: eventOf(notification) };
  }

  private isSigned(raw: Buffer, header: string): boolean {
    const { stripe, secrets } = this.options;
    return secrets().some((secret) => {
      try {
        return stripe.webhooks.signature!.verifyHeader(raw, header, secret, ANY_AGE);
      } catch (error) {
        if (error instanceof Stripe.errors.StripeSignatureVerificationError) return false;
        throw error;
      }
    });
  }

  /** Parses the event; undefined for anything but a thin event, even with a valid signature. */
  private parse(raw: Buffer): Stripe.V2.Core.EventNotification | undefined {
    try {
      const notification = this.options.stripe.parseEventNotificationWithoutVerification(raw);
      return isThinEvent(notification) ? notification : undefined;
    } catch {
      return undefined;
    }
  }
}

/** Converts a thin event, delivered or listed, to our form. */
export function eventOf(
  event: Pick<Stripe.V2.Core.EventNotification, 'id' | 'type' | 'created'>,
): ProcessorEvent {
  const related = 'related_object' in event ? event.related_object : undefined;
  return {
    id: event.id,
    type: event.type,
    occurredAt: new Date(event.created),
    ref: refOf(event.type, related as RelatedObject | null | undefined),
  };
}

/**
 * Returns the time of a signature, in seconds; undefined unless the header has exactly one time. The SDK verifies the
 * last one, so an old callback could otherwise be sent with a new time before its own.
 */
function signedAtOf(header: string): number | undefined {
  const times = header.split(',').filter((item) => item.split('=')[0] === 't');
  const [, seconds] = /^t=(\d{1,12})$/.exec(times.join(',')) ?? [];
  return seconds === undefined ? undefined : Number(seconds);
}

function isThinEvent(event: Stripe.V2.Core.EventNotification): boolean {
  const isNamed = NAME.test(event.id) && /^[\w.[\]]{1,200}$/.test(event.type);
  const related = 'related_object' in event ? (event.related_object as RelatedObject | null) : null;
  const isAboutNamed = !related || NAME.test(related.id);
  const isDated = !Number.isNaN(Date.parse(event.created));
  return event.object === 'v2.core.event' && isNamed && isAboutNamed && isDated;
}

const rejected = (reason: CallbackRejection): CallbackVerdict => ({ verdict: 'rejected', reason });
