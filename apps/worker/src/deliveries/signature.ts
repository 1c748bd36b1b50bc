import { createHmac } from 'node:crypto';

export interface SignedMessage {
  /** The value of the `webhook-id` header. */
  id: string;
  /** The time of sending, in whole seconds since 1970. */
  timestamp: number;
  body: string;
}

/**
 * Returns the value of `webhook-signature` (Standard Webhooks 1.0): one signature per secret, separated by spaces. A
 * receiver needs only one of the secrets.
 */
export function signatureOf(
  { id, timestamp, body }: SignedMessage,
  secrets: readonly Buffer[],
): string {
  const signed = `${id}.${timestamp}.${body}`;
  const of = (secret: Buffer) => createHmac('sha256', secret).update(signed).digest('base64');
  return secrets.map((secret) => `v1,${of(secret)}`).join(' ');
}

/** Returns a secret in the format that receivers' libraries expect. */
export const secretText = (secret: Buffer) => `whsec_${secret.toString('base64')}`;
