import type { Database } from '#libs/database';
import {
  type Metrics,
  SECONDS_BUCKETS,
  type ServiceName,
  type TakeReading,
  declareCounter,
  declareGauge,
  declareHistogram,
} from '#libs/platform';
import type { EventTransport } from '../event-transport.js';
import { type ServiceEventCounts, knownType } from './event-counts.js';

const UNSENT = declareGauge(
  'dds_outbox_unsent_events',
  'Events written and not yet handed to the transport; counted up to 100,000.',
  { labels: ['producer'] },
);
const OLDEST = declareGauge(
  'dds_outbox_oldest_unsent_seconds',
  'Age of the oldest event that is not yet handed to the transport; 0 when there is none.',
  { labels: ['producer'] },
);
const OWNED = declareGauge(
  'dds_outbox_buckets_owned',
  'Buckets of the outbox that this process relays; all processes together own 16.',
  { labels: ['producer'] },
);
const SENT = declareCounter('dds_events_sent_total', 'Events handed to the transport.', {
  labels: ['producer', 'type'],
});
const HANDLED = declareCounter(
  'dds_events_handled_total',
  'Events by their outcome at a consumer: applied, superseded, retrying or dead. An event that is retried and later applied counts as both.',
  { labels: ['consumer', 'type', 'outcome'] },
);
const WAITING = declareGauge(
  'dds_events_waiting',
  'Events that could not be handled and are retrying (tried again automatically) or dead (an operator must redrive or discard them).',
  { labels: ['consumer', 'type', 'state'] },
);
const DURATION = declareHistogram(
  'dds_event_handler_seconds',
  'Time that the handlers of events took.',
  { labels: ['consumer', 'type'], buckets: SECONDS_BUCKETS },
);
const LAG = declareGauge(
  'dds_consumer_lag_events',
  'Events that a consumer has not handled yet: as counted by the broker or, within one process, the rows that are not yet in its inbox.',
  { labels: ['consumer', 'producer'] },
);

export interface EventMetricsOptions {
  service: ServiceName;
  transport: EventTransport;
  database: Pick<Database, 'query'>;
}

/**
 * Adds the metrics of a service's published and received events: counters from memory, backlogs from its tables, and
 * its lag from the transport.
 */
export function addEventMetrics(metrics: Metrics, options: EventMetricsOptions): void {
  const { service, transport, database } = options;
  const counts = transport.counts.of(service);
  metrics.addSource({ name: 'events', read: (take) => readCounts(take, service, counts) });
  metrics.addSource({ name: 'outbox', read: (take) => readOutbox(take, service, database) });
  metrics.addSource({ name: 'failed events', read: (take) => readFailedEvents(take, database) });
  metrics.addSource({
    name: 'consumer lag',
    read: async (take) => {
      for (const { producer, events } of await transport.lag(service)) {
        take(LAG, events, { consumer: service, producer });
      }
    },
  });
}

function readCounts(take: TakeReading, service: ServiceName, counts: ServiceEventCounts): void {
  take(OWNED, counts.ownedBuckets, { producer: service });
  for (const [type, count] of counts.sent) take(SENT, count, { producer: service, type });
  for (const [type, outcomes] of counts.handled) {
    for (const [outcome, count] of outcomes) {
      take(HANDLED, count, { consumer: service, type, outcome });
    }
  }
  for (const [type, buckets] of counts.durations) {
    take(DURATION, buckets, { consumer: service, type });
  }
}

async function readOutbox(
  take: TakeReading,
  producer: ServiceName,
  database: Pick<Database, 'query'>,
): Promise<void> {
  const [row] = await database.query<{ unsent: number; oldest_seconds: number }>(OUTBOX);
  take(UNSENT, row.unsent, { producer });
  take(OLDEST, row.oldest_seconds, { producer });
}

async function readFailedEvents(
  take: TakeReading,
  database: Pick<Database, 'query'>,
): Promise<void> {
  const rows = await database.query<FailedEventCount>(FAILED_EVENTS);
  const counts = new Map<string, FailedEventCount>();
  for (const row of rows) {
    const type = knownType(row.type);
    const name = [row.consumer, type, row.state].join('\n');
    const count = (counts.get(name)?.count ?? 0) + row.count;
    counts.set(name, { ...row, type, count });
  }
  for (const { consumer, type, state, count } of counts.values()) {
    take(WAITING, count, { consumer, type, state });
  }
}

interface FailedEventCount {
  consumer: string;
  type: string;
  state: string;
  count: number;
}

/**
 * Counts the unsent events, and computes the age of the oldest. The age comes from the sequence, which is in
 * microseconds of the database's clock, because no test or operator moves that clock.
 */
const OUTBOX = `
  select (select count(*)::int from (
      select from outbox where sent_at is null limit 100000) as unsent) as unsent,
    greatest(0, coalesce(extract(epoch from clock_timestamp()) - min(head.sequence) / 1e6, 0))::float8
      as oldest_seconds
  from generate_series(0, 15) as bucket
  left join lateral (
    select sequence from outbox o where o.bucket = bucket.bucket and o.sent_at is null
    order by position limit 1) as head on true`;

const FAILED_EVENTS = `
  select consumer, type, state, count(*)::int as count from failed_event
  where state in ('retrying', 'dead') group by consumer, type, state`;
