import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { EventsConfig, KafkaTransport, createTopics } from '#libs/messaging';
import { Logger, loadConfig } from '#libs/platform';
import { KafkaBroker } from '#test/environment';
import {
  type BenchOptions,
  type BenchReport,
  atLeast,
  atMost,
  newFolder,
  percentile,
} from '../bench.js';
import { cleanup } from '../cleanup.js';
import { EventLine } from '../events/event-line.js';

const EVENTS_PER_SECOND = 500;
/**
 * Events per transaction, as in a busy account service. With one event per transaction, the bench would measure
 * commits.
 */
const TOGETHER = { perTransaction: 5 };
const CONSUMER = join(import.meta.dirname, '../events/consumer.js');

/**
 * Time from commit to handler over a real broker. The producer and its relay run here, the consumers in separate
 * processes.
 */
export async function measure({ isShort }: BenchOptions): Promise<BenchReport> {
  const settings = await startBroker();
  const line = await EventLine.open();
  const first = await startConsumer(line, settings);
  await line.startRelay(openTransport(settings));
  await line.say(1_000, { ...TOGETHER, perSecond: 200 });
  progress(`${EVENTS_PER_SECOND} events a second`);
  const calm = await line.latencies(isShort ? 5_000 : 15_000, {
    ...TOGETHER,
    perSecond: EVENTS_PER_SECOND,
  });
  const backlog = isShort ? 5_000 : 20_000;
  await end(first);
  await line.stopRelay();
  progress(`a backlog of ${backlog} events`);
  await line.say(backlog, TOGETHER);
  await line.startRelay(openTransport(settings));
  const startedMs = performance.now();
  await line.allSent();
  const relayMs = performance.now() - startedMs;
  const second = await startConsumer(line, settings);
  const consumedPerSecond = await line.consumptionOf(backlog);
  await end(second);
  const rows = [
    atMost(
      `kafka: commit → handler at ${EVENTS_PER_SECOND} events/s, p99`,
      percentile(calm, 0.99),
      1_000,
      'ms',
    ),
    atLeast(`kafka: relay, backlog of ${backlog}`, (backlog * 1000) / relayMs, 3_000, 'events/s'),
    atLeast(`kafka: consumer, backlog of ${backlog}`, consumedPerSecond, 3_000, 'events/s'),
  ];
  return { title: 'kafka: events over a broker', rows };
}

/** @returns the settings of its clients. */
async function startBroker(): Promise<Record<string, string>> {
  const starting = KafkaBroker.start({ folder: newFolder('kafka'), isMeasured: true });
  cleanup.add(async () => (await starting).stop());
  const { brokers } = await starting;
  const settings = { KAFKA_BROKERS: brokers.join(), KAFKA_TOPIC_REPLICATION: '1' };
  await createTopics(loadConfig(EventsConfig, settings));
  return settings;
}

function openTransport(settings: Record<string, string>): KafkaTransport {
  const logger = new Logger('bench', process.stderr, 'error');
  const onDeath = ({ message }: Error) => progress(message);
  return new KafkaTransport({ config: loadConfig(EventsConfig, settings), logger, onDeath });
}

async function startConsumer(
  line: EventLine,
  settings: Record<string, string>,
): Promise<ChildProcess> {
  const child = fork(CONSUMER, [line.consumerUrl], {
    env: settings,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  cleanup.add(() => child.kill('SIGKILL'));
  await once(child, 'message');
  return child;
}

async function end(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

function progress(what: string): void {
  process.stderr.write(`    ${what}\n`);
}
