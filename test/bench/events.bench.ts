import { InProcessTransport } from '#libs/messaging';
import { Logger } from '#libs/platform';
import { type BenchReport, atLeast, timesRows } from './bench.js';
import { EventLine, consume } from './events/event-line.js';

const EVENTS = 2_000;
const EVENTS_PER_SECOND = 200;
const BACKLOG = 10_000;
const P99_TARGET_MS = 50;
const THROUGHPUT_TARGET = 3_000;

/** Time from the commit of an event in one service to its handler in another, within this process. */
export async function measure(): Promise<BenchReport> {
  const line = await EventLine.open();
  const logger = new Logger('bench', process.stderr, 'warn');
  const transport = new InProcessTransport({ logger, consumers: { account: ['entitlement'] } });
  await line.say(BACKLOG, { perTransaction: 50 });
  await consume(transport, line.consumerUrl);
  await line.startRelay(transport);
  const perSecond = await line.consumptionOf(BACKLOG);
  // In a process that has handled the backlog, connections are open and code is compiled.
  const saying = { perTransaction: 1, perSecond: EVENTS_PER_SECOND };
  const times = await line.latencies(EVENTS, saying);
  const at = `commit → handler at ${EVENTS_PER_SECOND} events/s`;
  return {
    title: 'events, in-process transport',
    rows: [
      ...timesRows(at, times, P99_TARGET_MS),
      { what: `${at}, slowest`, value: Math.max(...times), unit: 'ms' },
      atLeast(
        `backlog of ${BACKLOG} handled, one insert each`,
        perSecond,
        THROUGHPUT_TARGET,
        'events/s',
      ),
    ],
  };
}
