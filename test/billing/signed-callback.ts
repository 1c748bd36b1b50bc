import { Stripe } from 'stripe';

/** Returns the signature header that Stripe would send with these bytes at this time. */
export function signedCallback(raw: Buffer, secret: string, at: Date): Record<string, string> {
  const timestamp = Math.floor(at.getTime() / 1000);
  const payload = raw.toString();
  const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp });
  return { 'stripe-signature': signature };
}
