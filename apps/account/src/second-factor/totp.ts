import { createHmac, timingSafeEqual } from 'node:crypto';
import { SECOND_MS } from '#libs/platform';

const STEP_MS = 30 * SECOND_MS;
const DIGITS = 6;
/** The number of steps by which an app's clock may be fast or slow. */
const DRIFT = 1;
/** The base32 alphabet (RFC 4648 §6). */
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Returns bytes in base32 as people and authenticator apps write it, without padding. */
export function base32(bytes: Buffer): string {
  let text = '';
  let [bits, value] = [0, 0];
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xfff;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += BASE32[(value >>> bits) & 31];
    }
  }
  return bits > 0 ? text + BASE32[(value << (5 - bits)) & 31] : text;
}

/** Returns the code of a step: HOTP with SHA-1 and six digits (RFC 4226 §5.3), as all authenticator apps compute it. */
export function codeOf(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const hash = createHmac('sha1', secret).update(counter).digest();
  const place = hash[hash.length - 1] & 0xf;
  const number = hash.readUInt32BE(place) & 0x7fffffff;
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0');
}

/** Returns the step of a time (RFC 6238 §4.2). */
export const stepOf = (time: Date) => Math.floor(time.getTime() / STEP_MS);

/**
 * Finds the step of this code, at most one step from now (RFC 6238 §5.2). Compares all steps, so that the duration
 * reveals nothing.
 * @returns undefined for a wrong code.
 */
export function matchingStep(secret: Buffer, code: string, current: number): number | undefined {
  const given = Buffer.from(code);
  if (given.length !== DIGITS) return undefined;
  let found: number | undefined;
  for (let step = current - DRIFT; step <= current + DRIFT; step++) {
    if (timingSafeEqual(given, Buffer.from(codeOf(secret, step)))) found = step;
  }
  return found;
}

/** Returns the URI in a QR code for an authenticator app. @param address names the account in the app's list. */
export function otpauthUri(secret: Buffer, issuer: string, address: string): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(address)}`;
  return `otpauth://totp/${label}?secret=${base32(secret)}&issuer=${encodeURIComponent(issuer)}`;
}
