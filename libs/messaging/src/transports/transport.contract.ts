import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { INestMicroservice } from '@nestjs/common';
import type { Database } from '#libs/database';
import { newId } from '#libs/platform';
import { waitFor } from '#test/environment';
import type { EventTransport } from '../event-transport.js';
import {
  Counted,
  OddlyNamed,
  RecordingConsumer,
  SnapshotTaken,
  MessagingHarness,
} from './messaging-harness.contract.js';
import { CrashSimulator } from './crash-simulator.contract.js';

export interface TransportHarness {
  /** Opens the transport of a newly started process, from account to entitlement, on the same broker. */
  open(): Promise<EventTransport>;
  /** The distance between the steps at which a process is killed; 1 if a start is cheap. */
  stepsBetweenDeaths: number;
}

const sqlError = (code: string) =>
  Object.assign(new Error(`refused with ${code}`), { code, severity: 'ERROR' });

/** Tests the guarantees that every transport gives; the spec of each transport calls this. */
export function transportContract(name: string, harness: TransportHarness): void {
  describe(`${name} transport`, () => {
    let messaging: MessagingHarness;
    let process: RunningProcess;
    let key: string;
    const recorder = () => process.recorder;

    beforeAll(async () => {
      messaging = await MessagingHarness.open();
    });
    afterAll(() => messaging.close());
    beforeEach(async () => {
      key = newId();
      process = await RunningProcess.start(messaging, harness);
    });
    afterEach(() => process.stop());

    const untilHeard = (ofKey: string, numbers: number[]) =>
      waitFor(`exactly ${String(numbers)}`, async () => {
        return String(await messaging.heard(ofKey)) === String(numbers);
      });
    const failedOf = (ofKey: string) => messaging.failedEvents.list({ key: ofKey });

    it('events of a key are handled in the order they were written', async () => {
      const keys = Array.from({ length: 4 }, newId);
      const numbers = Array.from({ length: 40 }, (_, n) => n);
      await Promise.all(
        keys.map(async (each) => {
          for (const n of numbers) await messaging.say(Counted, each, { n });
        }),
      );
      for (const each of keys) await untilHeard(each, numbers);
    });

    it('a repeated event is handled once', async () => {
      for (const n of [1, 2, 3]) await messaging.say(Counted, key, { n });
      await untilHeard(key, [1, 2, 3]);
      await waitFor('all sent', async () => (await messaging.unsent()) === 0);
      await messaging.relayAgain(key);
      await messaging.say(Counted, key, { n: 4 });
      await untilHeard(key, [1, 2, 3, 4]);
    });

    it('members named like parts of a record are preserved', async () => {
      const data = {
        n: 1,
        key: 'k',
        value: 'v',
        headers: 'h "quoted" \u0000 ünïcode',
        partition: 99,
        topic: 'elsewhere',
      };
      await messaging.say(OddlyNamed, key, data);
      await untilHeard(key, [1]);
      expect(await messaging.heardData(key)).toEqual([data]);
    });

    it('an event that violates a database constraint is dead-lettered at once and does not delay others', async () => {
      const other = newId();
      recorder().before = ({ data }) => {
        if (data.n === 1) throw sqlError('23514');
      };
      await messaging.say(Counted, key, { n: 1 });
      await messaging.say(Counted, key, { n: 2 });
      await messaging.say(Counted, other, { n: 3 });
      await untilHeard(key, [2]);
      await untilHeard(other, [3]);
      expect(await failedOf(key)).toMatchObject([
        { state: 'dead', type: 'account.counted', attempts: 1, consumer: 'entitlement' },
      ]);
      expect((await failedOf(key))[0].reason).toContain('SQLSTATE 23514');
    });

    it('later deltas of a key wait behind a failed event; snapshots and other keys pass', async () => {
      const other = newId();
      let isRepaired = false;
      recorder().before = ({ data }) => {
        if (data.n === 1 && !isRepaired) throw new Error('not now');
      };
      for (const n of [1, 2, 3]) await messaging.say(Counted, key, { n });
      await messaging.say(SnapshotTaken, key, { n: 4 });
      await messaging.say(Counted, other, { n: 5 });
      await untilHeard(key, [4]);
      await untilHeard(other, [5]);
      // As many attempts are made as fit into 5 s; a machine that pauses makes only two.
      expect(recorder().tries.filter((n) => n === 1).length).toBeGreaterThanOrEqual(2);
      expect(await failedOf(key)).toMatchObject([
        { state: 'retrying', reason: 'Error: not now' },
        { state: 'retrying', attempts: 0, reason: expect.stringContaining('waits behind') },
        { state: 'retrying', attempts: 0, reason: expect.stringContaining('waits behind') },
      ]);
      isRepaired = true;
      expect(await messaging.failedEvents.redrive({ key })).toBe(3);
      await untilHeard(key, [4, 1, 2, 3]);
      expect(await failedOf(key)).toEqual([]);
    });

    it('a discarded event is kept with its reason, stays unhandled and releases the events behind it', async () => {
      recorder().before = ({ data }) => {
        if (data.n === 1) throw new Error('never');
      };
      await messaging.say(Counted, key, { n: 1 });
      await messaging.say(Counted, key, { n: 2 });
      const [head] = await waitFor('both stored', async () => {
        const failed = await failedOf(key);
        return failed.length === 2 ? failed : undefined;
      });
      expect(
        await messaging.failedEvents.discard('entitlement', head.eventId, 'made by mistake'),
      ).toBe(true);
      await untilHeard(key, [2]);
      await messaging.relayAgain(key);
      await messaging.say(Counted, key, { n: 3 });
      await untilHeard(key, [2, 3]);
      expect(await failedOf(key)).toMatchObject([
        { state: 'discarded', reason: 'made by mistake' },
      ]);
      expect(await messaging.failedEvents.redrive({ key })).toBe(0);
    });

    it('a snapshot that arrives again after a newer snapshot is recorded as superseded, not applied', async () => {
      let isRepaired = false;
      recorder().before = ({ data }) => {
        if (data.n === 1 && !isRepaired) throw new Error('not now');
      };
      await messaging.say(SnapshotTaken, key, { n: 1 });
      await messaging.say(SnapshotTaken, key, { n: 2 });
      await untilHeard(key, [2]);
      const [{ eventId }] = await failedOf(key);
      isRepaired = true;
      await messaging.failedEvents.redrive({ eventId });
      await waitFor('none left', async () => (await failedOf(key)).length === 0);
      expect(await messaging.heard(key)).toEqual([2]);
      expect(
        await messaging.consumer.query('select outcome from inbox where event_id = $1', [eventId]),
      ).toEqual([{ outcome: 'superseded' }]);
    });

    it('an unavailable database pauses delivery, stores no failed event and loses nothing', async () => {
      let refusals = 0;
      recorder().before = () => {
        if (++refusals <= 6) throw sqlError('57P01');
      };
      await messaging.say(Counted, key, { n: 1 });
      await messaging.say(Counted, key, { n: 2 });
      await untilHeard(key, [1, 2]);
      expect(await failedOf(key)).toEqual([]);
    });

    it('a connection lost while an event is handled loses nothing and handles nothing twice', async () => {
      let cuts = 0;
      recorder().during = async (transaction) => {
        if (++cuts > 2) return;
        const [{ pid }] = await transaction.query<{ pid: number }>(
          'select pg_backend_pid() as pid',
        );
        await messaging.cutConnection(pid);
      };
      for (const n of [1, 2, 3]) await messaging.say(Counted, key, { n });
      await untilHeard(key, [1, 2, 3]);
      expect(cuts).toBeGreaterThan(2);
      expect(await failedOf(key)).toEqual([]);
    });

    it('a deadlock is retried at once and stores no failed event', async () => {
      let refusals = 0;
      recorder().before = () => {
        if (++refusals <= 2) throw sqlError('40P01');
      };
      await messaging.say(Counted, key, { n: 1 });
      await untilHeard(key, [1]);
      expect(await failedOf(key)).toEqual([]);
    });

    it('an event of an unknown type is retried for an hour and then dead-lettered', async () => {
      await messaging.sayUnknown(key);
      const [failed] = await waitFor('retrying', async () => {
        const events = await failedOf(key);
        return events.length > 0 ? events : undefined;
      });
      expect(failed).toMatchObject({
        state: 'retrying',
        type: 'account.not-yet-invented',
        reason: 'unknown event account.not-yet-invented version 1',
      });
      await messaging.consumer.query(
        `update failed_event set failed_at = failed_at - interval '61 minutes',
           next_try_at = clock_timestamp() where event_id = $1`,
        [failed.eventId],
      );
      await waitFor('dead', async () => (await failedOf(key))[0].state === 'dead');
    });

    it('a consumer that joins late receives everything', async () => {
      await process.stop();
      const transport = await harness.open();
      await transport.startRelay('account', messaging.maintenance);
      for (const n of [1, 2, 3]) await messaging.say(Counted, key, { n });
      const late = new RecordingConsumer();
      const app = await messaging.startConsumer(
        transport.strategyFor('entitlement', messaging.consumer),
        late,
      );
      await untilHeard(key, [1, 2, 3]);
      await app.close();
      await transport.close();
    });

    it('a watcher receives events, and its failures do not delay consumers', async () => {
      recorder().whenWatched = () => {
        throw new Error('deaf');
      };
      // A watcher receives events that are published after its start is confirmed.
      const before = newId();
      await waitFor('it to listen', async () => {
        await messaging.say(Counted, before, { n: 1000 });
        return recorder().watched.includes(1000);
      });
      await messaging.say(Counted, key, { n: 1001 });
      await messaging.say(Counted, key, { n: 1002 });
      await untilHeard(key, [1001, 1002]);
      await waitFor('both watched', () => recorder().watched.includes(1002));
      expect(await failedOf(key)).toEqual([]);
    });

    it('a process that ends between any two steps loses nothing and handles nothing twice', async () => {
      await process.stop();
      const expected: number[] = [];
      let [deaths, survivals] = [0, 0];
      const { stepsBetweenDeaths } = harness;
      // A process that outlives its work several times would do so with every later step, too.
      for (let lastStep = 1; lastStep <= 44 && survivals < 3; lastStep += stepsBetweenDeaths) {
        const numbers = [2 * lastStep, 2 * lastStep + 1];
        await messaging.say(Counted, key, { n: numbers[0] });
        await messaging.say(SnapshotTaken, key, { n: numbers[1] });
        expected.push(...numbers);
        const dying = new CrashSimulator(lastStep);
        const first = await RunningProcess.start(messaging, harness, dying);
        await waitFor('dead or done', async () => {
          return dying.isDead || (await messaging.unsent()) === 0;
        });
        await first.stop();
        // A broker's consumer may die after everything is sent, while the process stops.
        if (dying.isDead) deaths++;
        survivals = dying.isDead ? 0 : survivals + 1;
        await messaging.expireLeases();
        const second = await RunningProcess.start(messaging, harness);
        await untilHeard(key, expected);
        await waitFor('all sent', async () => (await messaging.unsent()) === 0);
        await second.stop();
      }
      expect(await failedOf(key)).toEqual([]);
      expect(deaths).toBeGreaterThanOrEqual(Math.floor(20 / stepsBetweenDeaths));
    });
  });
}

class RunningProcess {
  private constructor(
    private readonly transport: EventTransport,
    private readonly app: INestMicroservice,
    readonly recorder: RecordingConsumer,
  ) {}

  static async start(
    messaging: MessagingHarness,
    harness: TransportHarness,
    dying?: CrashSimulator,
  ): Promise<RunningProcess> {
    const seen = (database: Database) => dying?.seen(database) ?? database;
    const transport = await harness.open();
    const recorder = new RecordingConsumer();
    const strategy = transport.strategyFor('entitlement', seen(messaging.consumer));
    const app = await messaging.startConsumer(strategy, recorder);
    await transport.startRelay('account', seen(messaging.maintenance));
    return new RunningProcess(transport, app, recorder);
  }

  async stop(): Promise<void> {
    await this.app.close();
    await this.transport.close();
  }
}
