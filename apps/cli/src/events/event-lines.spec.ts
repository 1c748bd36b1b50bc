import { describe, expect, it } from '@jest/globals';
import type { FailedEvent } from '#libs/messaging';
import { newId } from '#libs/platform';
import { eventLines } from './event-lines.js';

const event: FailedEvent = {
  consumer: 'entitlement',
  eventId: newId(),
  type: 'PaymentConfirmed',
  key: newId(),
  state: 'dead',
  attempts: 3,
  failedAt: new Date('2026-03-01T10:00:00Z'),
  reason: 'no such order',
  topic: 'billing',
  bucket: 0,
  settledAt: null,
  nextTryAt: new Date('2026-03-01T10:00:00Z'),
  body: '{}',
  arrival: '1',
};

describe('a listed event', () => {
  it('states the owner, state, attempts and reason of failure in two lines', () => {
    const { eventId, key } = event;
    expect(eventLines('entitlement', event)).toEqual([
      `entitlement  dead  ${eventId}  PaymentConfirmed  account ${key}  3 tries since 2026-03-01T10:00:00.000Z`,
      '    no such order',
    ]);
    expect(eventLines('entitlement', { ...event, attempts: 1 })[0]).toContain('  1 try since ');
  });

  it.each(['eventId', 'type', 'key', 'reason'])(
    'prints no terminal control sequence if %s contains one',
    (member) => {
      const hostile = 'a\u001b[2Jb\r\nc\u009bd\u202ee\u2028f\u007f';
      const lines = eventLines('entitlement', { ...event, [member]: hostile });
      const shown = lines.join('');
      expect(lines).toHaveLength(2);
      expect(shown).toContain('a\\u{1b}[2Jb\\u{d}\\u{a}c\\u{9b}d\\u{202e}e\\u{2028}f\\u{7f}');
      expect(shown).not.toMatch(/[\p{Cc}\p{Cf}\u2028]/u);
    },
  );
});
