import { describe, expect, it } from '@jest/globals';
import type { EventClass } from '#libs/contracts';
import { Logger, newId } from '#libs/platform';
import { Counted } from '../transports/messaging-harness.contract.js';
import type { EventHandler } from './inbox.js';
import { tell } from './watcher.js';

function messageOf(type: string, n: unknown) {
  const [id, key] = [newId(), newId()];
  const occurredAt = '2026-03-02T09:00:00.000Z';
  const about = { aggregate: `thing:${key}`, sequence: '1', occurredAt, producer: 'account' };
  const body = JSON.stringify({ id, type, version: 1, key, ...about, data: { n } });
  return { id, topic: 'account.events', bucket: 1, key, body };
}

describe('a watcher', () => {
  it('a watcher receives the events that it has a handler for, and logs only errors of the handler', async () => {
    const heard: number[] = [];
    const lines: string[] = [];
    const handler: EventHandler = async ({ data }) => {
      heard.push((data as Counted).n);
      if (heard.length === 2) throw new Error('not this one');
    };
    const watcher = {
      service: 'gateway',
      handlers: new Map<EventClass, EventHandler>([[Counted, handler]]),
      logger: new Logger('gateway', { write: (line) => void lines.push(line) }),
    } as const;
    await tell(watcher, messageOf('account.counted', 1));
    await tell(watcher, messageOf('account.snapshot-taken', 2));
    await tell(watcher, messageOf('account.counted', 'no number'));
    expect([heard, lines]).toEqual([[1], []]);
    await tell(watcher, messageOf('account.counted', 3));
    expect(heard).toEqual([1, 3]);
    expect(lines).toEqual([expect.stringMatching(/"not this one".*failed to handle an event/)]);
  });
});
