import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { newId } from '#libs/platform';
import { KafkaBroker, waitFor } from '#libs/testing';
import { Counted, Stage } from '../stage.contract.js';
import { type KafkaProcess, KafkaStage } from './kafka-stage.contract.js';

const OUTAGE_LIMIT_MS = 60_000;

/** With a broker of its own, for others must not feel this. */
new KafkaStage().describe('while the broker is away', () => {
  const folder = mkdtempSync(join(tmpdir(), 'dds-outages-'));
  let broker: KafkaBroker;
  let kafka: KafkaStage;
  let stage: Stage;
  let running: KafkaProcess;

  beforeAll(async () => {
    [broker, stage] = await Promise.all([KafkaBroker.start({ folder }), Stage.open()]);
    kafka = new KafkaStage(broker.brokers);
    await kafka.createTopics();
    running = await kafka.start(stage);
  }, 120_000);
  afterAll(async () => {
    await running.stop();
    await stage.close();
    await broker.stop();
    rmSync(folder, { recursive: true, force: true });
    expect(kafka.deaths).toEqual([]);
  }, 60_000);

  const untilHeard = (key: string, numbers: number[]) =>
    waitFor(
      `exactly ${String(numbers)}`,
      async () => String(await stage.heard(key)) === String(numbers),
      OUTAGE_LIMIT_MS,
    );
  const untilRefused = () =>
    waitFor('a send that failed', () =>
      kafka.lines.splice(0).some((line) => line.includes('stands still')),
    );

  it('P10: a handler that hangs is given up, and its consumer stays a member all the while', async () => {
    const [key, other] = [newId(), newId()];
    const { script, transport } = running;
    script.before = () => {};
    script.during = (transaction) =>
      script.tries.at(-1) === 101
        ? new Promise(() => {})
        : transaction.query('select 1').then(() => {});
    const before = await kafka.membersOf('entitlement');
    await stage.say(Counted, key, { n: 101 });
    await waitFor(
      'parked',
      async () => (await stage.parked.list({ key })).length === 1,
      OUTAGE_LIMIT_MS,
    );
    await stage.say(Counted, other, { n: 102 });
    await untilHeard(other, [102]);
    expect((await stage.parked.list({ key }))[0].reason).toContain('did not end within 5000 ms');
    expect(script.tries.filter((n) => n === 101).length).toBe(2);
    expect(await kafka.membersOf('entitlement')).toBe(before);
    expect(transport.health().every(({ isMember }) => isMember)).toBe(true);
    script.during = async () => {};
    await stage.parked.discard(
      'entitlement',
      (await stage.parked.list({ key }))[0].eventId,
      'hung',
    );
  }, 90_000);

  it('P15: a send whose answer never came is repeated, and its copies count once', async () => {
    const key = newId();
    broker.kill('SIGSTOP');
    await stage.say(Counted, key, { n: 1 });
    await untilRefused();
    broker.kill('SIGCONT');
    await stage.say(Counted, key, { n: 2 });
    await untilHeard(key, [1, 2]);
    await waitFor('all sent', async () => (await stage.unsent()) === 0);
    expect(await stage.heard(key)).toEqual([1, 2]);
  }, 90_000);

  it('P12, P16, P17: what is said during an outage waits in the outbox and arrives in order, and a consumer that was thrown out is back by itself', async () => {
    const key = newId();
    const numbers = [1, 2, 3];
    broker.kill('SIGKILL');
    for (const n of numbers) await stage.say(Counted, key, { n });
    await untilRefused();
    await waitFor(
      'the consumers to be thrown out',
      () => running.transport.health().every(({ isMember }) => !isMember),
      OUTAGE_LIMIT_MS,
    );
    expect(await stage.unsent()).toBe(numbers.length);
    await broker.restart();
    await untilHeard(key, numbers);
    await waitFor(
      'all members',
      () => running.transport.health().every(({ isMember }) => isMember),
      OUTAGE_LIMIT_MS,
    );
    await waitFor('all sent', async () => (await stage.unsent()) === 0);
  }, 120_000);
});
