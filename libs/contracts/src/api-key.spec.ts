import { describe, expect, it } from '@jest/globals';
import { API_KEY_PATTERN, generateApiKey, hashApiKey, isWellFormedApiKey } from '#libs/contracts';

describe('API key', () => {
  it('S1: 100,000 generated keys match the pattern, carry their checksum, and are all different', () => {
    const keys = new Set<string>();
    for (let i = 0; i < 100_000; i++) {
      const key = generateApiKey(i % 2 === 0 ? 'live' : 'test');
      if (!API_KEY_PATTERN.test(key) || !isWellFormedApiKey(key)) throw new Error(`bad key ${i}`);
      keys.add(key);
    }
    expect(keys.size).toBe(100_000);
  });

  it('S2: changing any one character makes the checksum invalid', () => {
    const key = generateApiKey('live');
    for (let i = 9; i < key.length; i++) {
      const other = key[i] === 'a' ? 'b' : 'a';
      expect(isWellFormedApiKey(key.slice(0, i) + other + key.slice(i + 1))).toBe(false);
    }
  });

  it.each([
    '',
    'dds_live_',
    'dds_prod_' + 'a'.repeat(36),
    'dds_live_' + 'ä'.repeat(36),
    'x'.repeat(10_000),
  ])('text that is not a key is rejected: %.20s', (text) => {
    expect(isWellFormedApiKey(text)).toBe(false);
  });

  it('S3: the hash of a key has 64 hexadecimal digits and depends on the pepper', () => {
    const key = generateApiKey('live');
    const hash = hashApiKey(key, 'pepper-1');
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(hash).not.toBe(hashApiKey(key, 'pepper-2'));
    expect(hash).toBe(hashApiKey(key, 'pepper-1'));
  });
});
