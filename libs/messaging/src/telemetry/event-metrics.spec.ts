import type { INestMicroservice } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Metrics, newId } from '#libs/platform';
import { waitFor } from '#test/environment';
import { InProcessTransport } from '../transports/in-process/in-process-transport.js';
import {
  Counted,
  RecordingConsumer,
  MessagingHarness,
  quietLogger,
} from '../transports/messaging-harness.contract.js';
import { addEventMetrics } from './event-metrics.js';

describe('event metrics', () => {
  let messaging: MessagingHarness;
  let transport: InProcessTransport;
  let consumer: INestMicroservice | undefined;
  const recorder = new RecordingConsumer();
  const said = new Metrics({ process: false });
  const heard = new Metrics({ process: false });

  beforeAll(async () => {
    messaging = await MessagingHarness.open();
    transport = new InProcessTransport({
      logger: quietLogger,
      consumers: { account: ['entitlement'] },
    });
    addEventMetrics(said, { service: 'account', transport, database: messaging.producer });
    addEventMetrics(heard, { service: 'entitlement', transport, database: messaging.consumer });
  });
  afterAll(async () => {
    await consumer?.close();
    await transport.close();
    await messaging.close();
  });

  const lineOf = async (metrics: Metrics, name: string) =>
    (await metrics.text()).split('\n').find((line) => line.startsWith(name));

  it('waiting events are counted and their age is shown; sent and handled events are counted', async () => {
    for (const n of [1, 2, 3]) await messaging.say(Counted, newId(), { n });
    await transport.startRelay('account', messaging.maintenance);
    const unsent = 'dds_outbox_unsent_events{producer="account"}';
    expect(await lineOf(said, unsent)).toBe(`${unsent} 3`);
    const age = await lineOf(said, 'dds_outbox_oldest_unsent_seconds{producer="account"}');
    expect(Number(age?.split(' ').at(-1))).toBeGreaterThan(0);
    const lag = 'dds_consumer_lag_events{consumer="entitlement",producer="account"}';
    expect(await lineOf(heard, lag)).toBe(`${lag} 3`);

    consumer = await messaging.startConsumer(
      transport.strategyFor('entitlement', messaging.consumer),
      recorder,
    );
    await waitFor('all sent', async () => (await lineOf(said, unsent))?.endsWith(' 0'));
    const sent = 'dds_events_sent_total{producer="account",type="account.counted"}';
    // The rows are marked a moment before they are counted.
    await waitFor('three to be counted', async () => (await lineOf(said, sent)) === `${sent} 3`);
    const owned = 'dds_outbox_buckets_owned{producer="account"}';
    expect(await lineOf(said, owned)).toBe(`${owned} 16`);
    const about = 'consumer="entitlement",type="account.counted"';
    const applied = `dds_events_handled_total{${about},outcome="applied"}`;
    // Events that are applied are counted a moment after their commit.
    await waitFor('three handled', async () => (await lineOf(heard, applied)) === `${applied} 3`);
    const took = `dds_event_handler_seconds_count{${about}}`;
    expect(await lineOf(heard, took)).toBe(`${took} 3`);
    expect(await lineOf(heard, lag)).toBe(`${lag} 0`);
  });

  it('a failed event is counted and shown; an undeclared type is "unknown"', async () => {
    await messaging.sayUnknown(newId());
    const failed = 'dds_events_waiting{consumer="entitlement",type="unknown",state="retrying"}';
    await waitFor('it to be stored', async () => (await lineOf(heard, failed)) === `${failed} 1`);
    const handled =
      'dds_events_handled_total{consumer="entitlement",type="unknown",outcome="retrying"}';
    await waitFor(
      'it to be counted',
      async () => (await lineOf(heard, handled)) === `${handled} 1`,
    );
    expect(await heard.text()).not.toContain('not-yet-invented');
  });
});
