import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { INestMicroservice } from '@nestjs/common';
import { EMPTY } from 'rxjs';
import { HOUR_MS, newId } from '#libs/platform';
import { waitFor } from '#test/environment';
import { bucketOf, topicOf } from '../../envelope/bucket.js';
import type { FailedEvent } from '../../failed-events/failed-event.entity.js';
import {
  Counted,
  OddlyNamed,
  RecordingConsumer,
  MessagingHarness,
  quietLogger,
} from '../messaging-harness.contract.js';
import { KafkaGroup } from './kafka-group.js';
import { type KafkaProcess, KafkaHarness } from './kafka-harness.contract.js';

const TOPIC = topicOf('account');
const sqlError = (code: string) =>
  Object.assign(new Error(`refused with ${code}`), { code, severity: 'ERROR' });
const typedError = (name: string) => Object.assign(new Error(`a ${name}`), { name });

const quick = { maxWaitTimeInMs: 100 };

const kafka = new KafkaHarness();

kafka.describe('pitfalls of Kafka in Nest', () => {
  let messaging: MessagingHarness;
  let running: KafkaProcess;
  let key: string;

  beforeAll(async () => {
    await kafka.createTopics();
    messaging = await MessagingHarness.open();
  });
  afterAll(async () => {
    await messaging.close();
    await kafka.deleteTopics();
  });
  beforeEach(async () => {
    key = newId();
    running = await kafka.start(messaging);
    // On a busy broker, consumers may join after their service has started.
    await untilMembers();
  });
  afterEach(async () => {
    await running.stop();
    // Otherwise, a later test would count a retry.
    await messaging.consumer.query('delete from failed_event');
    expect(kafka.deaths.splice(0)).toEqual([]);
  });

  const untilMembers = () =>
    waitFor('membership', () => running.transport.health().every(({ isMember }) => isMember));
  const untilHeard = (ofKey: string, numbers: number[]) =>
    waitFor(`exactly ${String(numbers)}`, async () => {
      return String(await messaging.heard(ofKey)) === String(numbers);
    });
  const untilFailed = (ofKey: string, count = 1): Promise<FailedEvent[]> =>
    waitFor('retrying', async () => {
      const failed = await messaging.failedEvents.list({ key: ofKey });
      return failed.length === count ? failed : undefined;
    });
  const recordOf = (id: string, value: Buffer | null) => ({
    partition: bucketOf(key),
    key,
    value,
    headers: { id },
  });
  const bodyOf = (id: string, more: object) =>
    Buffer.from(
      JSON.stringify({
        id,
        type: 'account.counted',
        version: 1,
        key,
        aggregate: `thing:${key}`,
        sequence: '1',
        occurredAt: '2026-03-02T09:00:00.000Z',
        producer: 'account',
        data: { n: 1 },
        ...more,
      }),
    );

  it('P1: a handler’s error reaches our consumer, is stored with its text and does not stop other events', async () => {
    const keys = Array.from({ length: 3 }, newId);
    const thrown: unknown[] = [new Error('plain'), 'a text', undefined];
    running.recorder.before = (event) => {
      const index = keys.indexOf(event.key);
      if (index >= 0) throw thrown[index];
    };
    for (const each of [...keys, key]) await messaging.say(Counted, each, { n: 1 });
    await untilHeard(key, [1]);
    const reasons = [];
    for (const each of keys) reasons.push((await untilFailed(each))[0].reason);
    expect(reasons).toEqual(['Error: plain', 'a text', 'undefined']);
  });

  it('P2: an event that always fails is handled once, and the next event of its partition follows', async () => {
    running.recorder.before = ({ data }) => {
      if (data.n === 1) throw sqlError('23514');
    };
    for (const n of [1, 2]) await messaging.say(Counted, key, { n });
    await untilHeard(key, [2]);
    expect(await untilFailed(key)).toMatchObject([{ state: 'dead', attempts: 1 }]);
  });

  it('P3: data that does not fit its class is dead-lettered with the reason, without reaching a handler', async () => {
    const id = newId();
    await kafka.write(TOPIC, recordOf(id, bodyOf(id, { data: { n: 'one' } })));
    const [{ state, reason }] = await untilFailed(key);
    expect([state, reason]).toEqual(['dead', expect.stringContaining('n must be an integer')]);
    expect(running.recorder.tries).toEqual([]);
  });

  it('P4: if one service fails, another does not handle the event again', async () => {
    const other = new RecordingConsumer();
    const strategy = running.transport.strategyFor('gateway', messaging.consumer);
    const app: INestMicroservice = await messaging.startConsumer(strategy, other);
    let failures = 0;
    running.recorder.before = () => {
      if (++failures <= 3) throw new Error('not now');
    };
    await messaging.say(Counted, key, { n: 44 });
    await untilHeard(key, [44, 44]);
    expect(running.recorder.tries.length).toBe(4);
    expect(other.tries.filter((n) => n === 44)).toEqual([44]);
    await app.close();
  });

  it('P5: a handler that returns an empty observable has handled its event', async () => {
    running.recorder.record = (event) => {
      running.recorder.tries.push(event.data.n);
      return EMPTY as unknown as Promise<void>;
    };
    for (const n of [1, 2]) await messaging.say(Counted, key, { n });
    await waitFor('both', () => running.recorder.tries.includes(2));
    await untilCommitted();
    expect(running.recorder.tries).toEqual([1, 2]);
  });

  it('P6: a record that is not JSON or text, or is empty, is dead-lettered and kept, never partly read', async () => {
    const records = ['{"a":1,', Buffer.from([0xff, 0xfe]), Buffer.from('{"a":"\0"}'), null].map(
      (value) => recordOf(newId(), value === null ? null : Buffer.from(value)),
    );
    const id = newId();
    await kafka.write(TOPIC, ...records, { ...records[0], headers: {} });
    await kafka.write(TOPIC, recordOf(id, bodyOf(id, {})));
    await untilHeard(key, [1]);
    const failed = await untilFailed(key, 5);
    expect(failed.every(({ state }) => state === 'dead')).toBe(true);
    expect(failed.map(({ body }) => body).sort()).toEqual(
      ['', '{"a":1,', '{"a":1,', 'base64://4=', 'base64:eyJhIjoiACJ9'].sort(),
    );
  });

  it('P7: an unknown type is stored for a retry, whatever its name', async () => {
    const [id, odd] = [newId(), newId()];
    const unknown = bodyOf(id, { type: 'account.not-yet-invented' });
    await kafka.write(TOPIC, recordOf(id, unknown));
    await kafka.write(TOPIC, recordOf(odd, bodyOf(odd, { type: 'account.\0' })));
    const failed = await untilFailed(key, 2);
    expect(failed.map(({ state, type }) => [state, type]).sort()).toEqual([
      ['retrying', 'account.'],
      ['retrying', 'account.not-yet-invented'],
    ]);
  });

  it('P8: errors that end kafkajs permanently leave the consumer a member of its group', async () => {
    const names = ['SyntaxError', 'TypeError', 'RangeError', 'ReferenceError'];
    const keys = names.map(newId);
    running.recorder.before = (event) => {
      const index = keys.indexOf(event.key);
      if (index >= 0) throw typedError(names[index]);
    };
    const before = await kafka.membersOf('entitlement');
    for (const each of [...keys, key]) await messaging.say(Counted, each, { n: 1 });
    for (const each of keys) await untilFailed(each);
    await untilHeard(key, [1]);
    expect(await kafka.membersOf('entitlement')).toBe(before);
    expect(running.transport.health().map(({ isMember }) => isMember)).toEqual([true, true]);
  });

  it('P9: a service does not wait for its durable group, which joins when the broker admits it', async () => {
    const ours = new KafkaGroup({
      config: kafka.config,
      logger: quietLogger,
      group: `later-${newId()}`,
      topics: [TOPIC],
      kind: 'durable',
      take: async () => {},
      onDeath: () => {},
    });
    await ours.start();
    expect(ours.health().isMember).toBe(false);
    await waitFor('its membership', () => ours.health().isMember);
    await ours.close();
  });

  it('P9: events published before a group first joined are handled', async () => {
    await messaging.say(Counted, key, { n: 1 });
    await untilHeard(key, [1]);
    const late = new RecordingConsumer();
    const strategy = running.transport.strategyFor('worker', messaging.consumer);
    const app = await messaging.startConsumer(strategy, late);
    await untilHeard(key, [1, 1]);
    expect(late.tries).toContain(1);
    await app.close();
  });

  it('P11: messages that are redelivered, as after a lost commit, count once', async () => {
    const numbers = Array.from({ length: 30 }, (_, n) => 1000 + n);
    for (const n of numbers) await messaging.say(Counted, key, { n });
    await untilHeard(key, numbers);
    await untilCommitted();
    await running.stop();
    await kafka.admin((admin) =>
      // The broker refuses this until it has noticed that the last member left.
      waitFor('offsets to be reset', () =>
        admin.resetOffsets({ ...placeOfGroup(), earliest: true }).then(
          () => true,
          () => false,
        ),
      ),
    );
    running = await kafka.start(messaging);
    await messaging.say(Counted, key, { n: 1030 });
    await untilHeard(key, [...numbers, 1030]);
    expect(running.recorder.tries.filter((n) => n >= 1000)).toEqual([1030]);
  });

  it('P13: a record is the complete envelope, with the account as its key', async () => {
    const data = { n: 1, key: 'abc', value: '1200', headers: 'EUR', partition: 9, topic: 'x' };
    const read: { key: unknown; body: string }[] = [];
    const spy = await rawReader((message) => {
      if (String(message.key) === key) read.push({ key: message.key, body: String(message.value) });
    });
    await messaging.say(OddlyNamed, key, data);
    await waitFor('the record', () => read.length === 1);
    expect(JSON.parse(read[0].body)).toMatchObject({ key, type: 'account.oddly-named', data });
    await untilHeard(key, [1]);
    expect(await messaging.heardData(key)).toEqual([data]);
    await spy.disconnect();
  });

  it('records from a sender whose clock is a day ahead are accepted, and get the current time', async () => {
    const read: { key: unknown; value: unknown; timestamp: string }[] = [];
    const spy = await rawReader((message) => {
      if (String(message.key) === key) read.push(message);
    });
    await messaging.say(Counted, key, { n: 1 });
    await waitFor('the record', () => read.length === 1);
    const nowMs = Number(read[0].timestamp);
    const value = String(read[0].value);
    await kafka.write(TOPIC, { key, value, timestamp: String(nowMs + 25 * HOUR_MS) });
    await waitFor('the record of tomorrow', () => read.length === 2);
    expect(Number(read[1].timestamp)).toBeLessThan(nowMs + HOUR_MS);
    await untilHeard(key, [1]);
    await spy.disconnect();
  });

  it('P14: digits beyond 2^53 are sent as text, and a BigInt is never sent', async () => {
    const odd = { n: 1, key: '', headers: '', partition: 0, topic: '' };
    const micros = '9007199254740993000001';
    await messaging.say(OddlyNamed, key, { ...odd, value: micros });
    await untilHeard(key, [1]);
    expect(await messaging.heardData(key)).toMatchObject([{ value: micros }]);
    const unsent = await messaging.unsent();
    await expect(messaging.say(Counted, key, { n: 2n as unknown as number })).rejects.toThrow();
    expect(await messaging.unsent()).toBe(unsent);
  });

  it('P18: a group is named after its service, and a watcher leaves nothing behind', async () => {
    const groups = () =>
      kafka.admin(async (admin) =>
        (await admin.listGroups()).groups
          .map(({ groupId }) => groupId)
          .filter((groupId) => groupId.startsWith(kafka.config.kafkaPrefix))
          .map((groupId) => groupId.slice(kafka.config.kafkaPrefix.length)),
      );
    const own = running.transport
      .health()
      .map(({ group }) => group.slice(kafka.config.kafkaPrefix.length));
    expect(own).toEqual(['entitlement', expect.stringMatching(/^entitlement-watch-/)]);
    expect(await groups()).toEqual(expect.arrayContaining(own));
    await running.stop();
    expect((await groups()).filter((group) => own.includes(group))).toEqual(['entitlement']);
  });

  it('P19: stopping one partition does not restart another', async () => {
    let other = newId();
    while (bucketOf(other) === bucketOf(key)) other = newId();
    let isAway = true;
    running.recorder.before = (event) => {
      if (event.key === key && isAway) throw sqlError('57P01');
    };
    await messaging.say(Counted, key, { n: 1 });
    await waitFor('the first refusal', () => running.recorder.tries.length > 0);
    const numbers = [11, 12, 13, 14];
    for (const n of numbers) await messaging.say(Counted, other, { n });
    await untilHeard(other, numbers);
    isAway = false;
    await untilHeard(key, [1]);
    expect(running.recorder.tries.filter((n) => n > 10)).toEqual(numbers);
  });

  const placeOfGroup = () => ({
    groupId: `${kafka.config.kafkaPrefix}entitlement`,
    topic: `${kafka.config.kafkaPrefix}${TOPIC}`,
  });

  /** Waits until the group has committed an offset for the partition of this key's bucket. */
  async function untilCommitted(): Promise<void> {
    const { groupId, topic } = placeOfGroup();
    await kafka.admin((admin) =>
      waitFor('committed', async () => {
        const ends = await admin.fetchTopicOffsets(topic);
        const [{ partitions }] = await admin.fetchOffsets({ groupId, topics: [topic] });
        const end = ends.find(({ partition }) => partition === bucketOf(key));
        return (
          partitions.find(({ partition }) => partition === bucketOf(key))?.offset === end?.high
        );
      }),
    );
  }

  async function rawReader(
    hear: (message: { key: unknown; value: unknown; timestamp: string }) => void,
  ) {
    const reader = kafka
      .kafka()
      .consumer({ groupId: `${kafka.config.kafkaPrefix}${newId()}`, ...quick });
    await reader.subscribe({ topic: `${kafka.config.kafkaPrefix}${TOPIC}`, fromBeginning: true });
    await reader.run({ eachMessage: async ({ message }) => hear(message) });
    return reader;
  }
});
