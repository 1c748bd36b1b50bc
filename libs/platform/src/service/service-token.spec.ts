import { describe, expect, it } from '@jest/globals';
import { ServiceTokens } from '#libs/platform';
import { TestClock } from '#libs/testing';

describe('service tokens', () => {
  it('a token names its caller to its audience alone', () => {
    const tokens = new ServiceTokens('secret', new TestClock());
    const token = tokens.issue('gateway', 'account');
    expect(tokens.verify(token, 'account')).toBe('gateway');
    expect(tokens.verify(token, 'entitlement')).toBeUndefined();
  });

  it('a token dies after two minutes and is renewed before', () => {
    const clock = new TestClock();
    const tokens = new ServiceTokens('secret', clock);
    const first = tokens.issue('gateway', 'account');
    expect(tokens.issue('gateway', 'account')).toBe(first);
    clock.advance(61_000);
    expect(tokens.issue('gateway', 'account')).not.toBe(first);
    clock.advance(60_000);
    expect(tokens.verify(first, 'account')).toBeUndefined();
  });

  it('a forged, cut or foreign token is nobody', () => {
    const clock = new TestClock();
    const token = new ServiceTokens('secret', clock).issue('gateway', 'account');
    const other = new ServiceTokens('another secret', clock);
    expect(other.verify(token, 'account')).toBeUndefined();
    const tokens = new ServiceTokens('secret', clock);
    for (const forged of [
      '',
      '...',
      token.slice(0, -1),
      token.replace('gateway', 'cli'),
      `${token}x`,
    ]) {
      expect(tokens.verify(forged, 'account')).toBeUndefined();
    }
  });
});
