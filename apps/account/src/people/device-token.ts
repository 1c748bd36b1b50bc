import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const NONCE_BYTES = 16;
const TOKEN = /^[A-Za-z0-9_-]{64}$/;

/**
 * Creates a token that proves that a browser has logged in with an address before. Guesses from other networks, or from
 * other browsers behind the same network address, do not delay this browser. The token grants no access and is not
 * stored.
 */
export function newDeviceToken(address: string, pepper: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  return Buffer.concat([nonce, proofOf(nonce, address, pepper)]).toString('base64url');
}

/** Returns the id of the device; undefined if the token is not ours or belongs to another address. */
export function deviceOf(token: string, address: string, pepper: string): string | undefined {
  if (!TOKEN.test(token)) return undefined;
  const bytes = Buffer.from(token, 'base64url');
  const nonce = bytes.subarray(0, NONCE_BYTES);
  const isOurs = timingSafeEqual(bytes.subarray(NONCE_BYTES), proofOf(nonce, address, pepper));
  return isOurs ? nonce.toString('hex') : undefined;
}

function proofOf(nonce: Buffer, address: string, pepper: string): Buffer {
  const text = `device\n${nonce.toString('hex')}\n${address.toLowerCase()}`;
  return createHmac('sha256', pepper).update(text).digest();
}
