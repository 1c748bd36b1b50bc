import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { newId } from '#libs/platform';
import { KafkaBroker, waitFor } from '#test/environment';
import { Counted, MessagingHarness } from '../messaging-harness.contract.js';
import { type KafkaProcess, KafkaHarness } from './kafka-harness.contract.js';

/** Long enough to start a broker and rejoin on a machine ten times slower than ours. */
const OUTAGE_LIMIT_MS = 300_000;
const SPEC_LIMIT_MS = 900_000;

/** Uses its own broker, so that other specs are not affected by the outage. */
new KafkaHarness().describe('while the broker is down', () => {
  const folder = mkdtempSync(join(tmpdir(), 'dds-outages-'));
  let broker: KafkaBroker;
  let kafka: KafkaHarness;
  let messaging: MessagingHarness;
  let running: KafkaProcess;

  beforeAll(async () => {
    [broker, messaging] = await Promise.all([
      KafkaBroker.start({ folder }),
      MessagingHarness.open(),
    ]);
    kafka = new KafkaHarness(broker.brokers);
    await kafka.createTopics();
    running = await kafka.start(messaging);
  }, SPEC_LIMIT_MS);
  afterAll(async () => {
    await running.stop();
    await messaging.close();
    await broker.stop();
    rmSync(folder, { recursive: true, force: true });
    expect(kafka.deaths).toEqual([]);
  }, SPEC_LIMIT_MS);

  const untilHeard = (key: string, numbers: number[]) =>
    waitFor(
      `exactly ${String(numbers)}`,
      async () => String(await messaging.heard(key)) === String(numbers),
      OUTAGE_LIMIT_MS,
    );
  const untilRefused = () =>
    waitFor(
      'a send that failed',
      () => kafka.lines.splice(0).some((line) => line.includes('is stuck')),
      OUTAGE_LIMIT_MS,
    );
  const untilMembers = () =>
    waitFor(
      'all members',
      () => running.transport.health().every(({ isMember }) => isMember),
      OUTAGE_LIMIT_MS,
    );
  const untilSent = () =>
    waitFor('all sent', async () => (await messaging.unsent()) === 0, OUTAGE_LIMIT_MS);

  it(
    'P10: a handler that hangs is abandoned, and its consumer stays a member of the group',
    async () => {
      const [key, other] = [newId(), newId()];
      const { recorder, transport } = running;
      recorder.before = () => {};
      recorder.during = (transaction) =>
        recorder.tries.at(-1) === 101
          ? new Promise(() => {})
          : transaction.query('select 1').then(() => {});
      // On a busy broker, a consumer may join after its service has started.
      await untilMembers();
      const before = await kafka.membersOf('entitlement');
      await messaging.say(Counted, key, { n: 101 });
      await waitFor(
        'retrying',
        async () => (await messaging.failedEvents.list({ key })).length === 1,
        OUTAGE_LIMIT_MS,
      );
      await messaging.say(Counted, other, { n: 102 });
      await untilHeard(other, [102]);
      expect((await messaging.failedEvents.list({ key }))[0].reason).toContain(
        'did not end within 5000 ms',
      );
      // An attempt of 5 s leaves no time for another, unless a timer fires slightly early.
      expect([2, 3]).toContain(recorder.tries.filter((n) => n === 101).length);
      expect(await kafka.membersOf('entitlement')).toBe(before);
      expect(transport.health().every(({ isMember }) => isMember)).toBe(true);
      recorder.during = async () => {};
      await messaging.failedEvents.discard(
        'entitlement',
        (await messaging.failedEvents.list({ key }))[0].eventId,
        'hung',
      );
    },
    SPEC_LIMIT_MS,
  );

  it(
    'P15: a send without an answer is repeated, and the copies count once',
    async () => {
      const key = newId();
      broker.kill('SIGSTOP');
      await messaging.say(Counted, key, { n: 1 });
      await untilRefused();
      broker.kill('SIGCONT');
      await messaging.say(Counted, key, { n: 2 });
      await untilHeard(key, [1, 2]);
      await untilSent();
      expect(await messaging.heard(key)).toEqual([1, 2]);
    },
    SPEC_LIMIT_MS,
  );

  it(
    'P12, P16, P17: events of an outage wait in the outbox and arrive in order, and an expelled consumer rejoins automatically',
    async () => {
      const key = newId();
      const numbers = [1, 2, 3];
      broker.kill('SIGKILL');
      for (const n of numbers) await messaging.say(Counted, key, { n });
      await untilRefused();
      await waitFor(
        'the consumers to be removed from the group',
        () => running.transport.health().every(({ isMember }) => !isMember),
        OUTAGE_LIMIT_MS,
      );
      await expect(running.transport.check()).rejects.toThrow(/accept no events|receives nothing/);
      expect(await messaging.unsent()).toBe(numbers.length);
      await broker.restart();
      await untilHeard(key, numbers);
      await untilMembers();
      await untilSent();
      const isWell = () =>
        running.transport.check().then(
          () => true,
          () => false,
        );
      await waitFor('the check to succeed', isWell, OUTAGE_LIMIT_MS);
    },
    SPEC_LIMIT_MS,
  );
});
