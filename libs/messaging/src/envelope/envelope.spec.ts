import { describe, expect, it } from '@jest/globals';
import { newId } from '#libs/platform';
import { Counted } from '../transports/messaging-harness.contract.js';
import { bucketOf } from './bucket.js';
import { type EventMessage, readMessage } from './event-message.js';

describe('bucket', () => {
  // The published vectors of 32-bit FNV-1a: 811c9dc5, e40c292c, bf9cf968.
  it.each([
    ['', 5],
    ['a', 12],
    ['foobar', 8],
  ])(
    'the bucket of the key %p is always %p, because the order of events depends on it',
    (key, bucket) => {
      expect(bucketOf(key)).toBe(bucket);
    },
  );
});

describe('message', () => {
  const id = newId();
  const envelope = {
    id,
    type: 'account.counted',
    version: 1,
    key: 'k',
    aggregate: 'thing:k',
    sequence: '1772442000000000',
    occurredAt: '2026-03-02T09:00:00.000Z',
    producer: 'account',
    data: { n: 1 },
  };
  const message = (body: unknown, topic = 'account.events'): EventMessage => ({
    id,
    topic,
    bucket: 1,
    key: 'k',
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const read = (body: unknown) => readMessage(message(body), () => true);
  const without = (member: string) =>
    Object.fromEntries(Object.entries(envelope).filter(([name]) => name !== member));

  it('a valid message is read into its class, even with members of a later release', () => {
    const whole = read({ ...envelope, later: true, data: { n: 1, later: 'too' } });
    expect(whole).toMatchObject({ kind: 'delta', eventClass: Counted, event: { data: { n: 1 } } });
    expect((whole as { event: { data: object } }).event.data).toBeInstanceOf(Counted);
  });

  it.each([
    ['empty', ''],
    ['half', '{"id":'],
    ['a number', '17'],
    ['null', 'null'],
    ['a list', '[]'],
    ...Object.keys(envelope).map((member): [string, unknown] => [
      `without ${member}`,
      without(member),
    ]),
    ['with the id of another', { ...envelope, id: newId() }],
    ['with the key of another', { ...envelope, key: 'other' }],
    ['with a sequence that is a number', { ...envelope, sequence: 17 }],
    ['with a negative sequence', { ...envelope, sequence: '-1' }],
    ['with a time that is none', { ...envelope, occurredAt: 'soon' }],
    ['with data that is null', { ...envelope, data: null }],
    ['with data that is a list', { ...envelope, data: [1] }],
    ['with data of the wrong type', { ...envelope, data: { n: 'one' } }],
    ['with data that is empty', { ...envelope, data: {} }],
  ])('is malformed, with a reason: %s', (_what, body) => {
    expect(read(body)).toMatchObject({
      failure: 'malformed',
      reason: expect.stringMatching(/./),
    });
  });

  it('S112: a message that names a service other than the owner of its topic is malformed', () => {
    const foreign = { failure: 'malformed', reason: expect.stringContaining('topic') };
    const readFrom = (topic: string, body: object) => readMessage(message(body, topic), () => true);
    expect(readFrom('billing.events', envelope)).toMatchObject(foreign);
    expect(readFrom('account.events', { ...envelope, producer: 'billing' })).toMatchObject(foreign);
    for (const type of ['billing.payment-confirmed', 'billing.not-yet-invented', 'billing']) {
      expect(read({ ...envelope, type })).toMatchObject(foreign);
    }
  });

  it.each([['1\r\nx: y'], [17], [{ slice: 1 }], ['00-0-0-01'], ['\0']])(
    'a message is read without its invalid trace: %p',
    (traceparent) => {
      const whole = read({ ...envelope, traceparent }) as { event: object };
      expect(whole.event).toMatchObject({ data: { n: 1 }, traceparent: undefined });
    },
  );

  it('a message is unknown if its type or version is', () => {
    expect(read({ ...envelope, type: 'account.new' })).toMatchObject({ failure: 'unknown' });
    expect(read({ ...envelope, version: 2 })).toMatchObject({ failure: 'unknown' });
  });
});
