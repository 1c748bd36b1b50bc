import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
export const DATA_KEY_BYTES = 32;

/**
 * Encrypts with AES-256-GCM: nonce, ciphertext, tag. `context` is authenticated, so a value cannot be decrypted after
 * it has been moved elsewhere.
 */
export function encrypt(key: Buffer, plaintext: Buffer, context: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context));
  return Buffer.concat([nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
}

/** Decrypts a result of `encrypt`. @throws Error if the key, the context or any byte differs. */
export function decrypt(key: Buffer, encrypted: Buffer, context: string): Buffer {
  const nonce = encrypted.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(context)).setAuthTag(encrypted.subarray(-TAG_BYTES));
  return Buffer.concat([
    decipher.update(encrypted.subarray(NONCE_BYTES, -TAG_BYTES)),
    decipher.final(),
  ]);
}

/** Derives a separate key for each purpose from one secret of the operator (RFC 5869). */
export function derivedKey(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', purpose, DATA_KEY_BYTES));
}
