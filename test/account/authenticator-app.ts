import { codeOf, stepOf } from '../../apps/account/src/second-factor/totp.js';

/** Decodes the Base32 key that a person types into an authenticator app. */
export function secretOf(base32: string): Buffer {
  const values = [...base32].map((letter) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter));
  const bits = values.map((value) => value.toString(2).padStart(5, '0')).join('');
  return Buffer.from(bits.match(/.{8}/g)!.map((byte) => Number.parseInt(byte, 2)));
}

export const appCode = (base32: string, time: Date) => codeOf(secretOf(base32), stepOf(time));
