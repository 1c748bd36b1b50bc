import { createHmac } from 'node:crypto';

/** The text that the signature of a message covers. */
export interface SignedMessage {
  /** `webhook-id`. */
  id: string;
  /** The time of sending, in whole seconds since 1970. */
  timestamp: number;
  body: string;
}

/**
 * The value of `webhook-signature` (Standard Webhooks 1.0): one signature for each secret, separated by spaces; a
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

/** A secret in the format that receivers' libraries expect. */
export const secretText = (secret: Buffer) => `whsec_${secret.toString('base64')}`;
