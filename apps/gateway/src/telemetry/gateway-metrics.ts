import type { Counters } from '#libs/counters';
import {
  type Metrics,
  SECONDS_BUCKETS,
  SECOND_MS,
  type TakeReading,
  declareCounter,
  declareGauge,
  declareHistogram,
} from '#libs/platform';
import type { ChangePollers } from '../auth-cache/change-pollers.js';
import type { AuthCache } from '../auth-cache/auth-cache.js';
import type { LeaseClient } from '../lease/lease-client.js';
import type { RequestLog } from '../request-log/request-log.js';
import type { RequestCounts } from './request-counts.js';

const REQUESTS = declareCounter(
  'dds_gateway_requests_total',
  'API requests by status; 499 if the client disconnected before the end of the answer.',
  { labels: ['operation', 'class', 'version', 'status'] },
);
const DURATION = declareHistogram(
  'dds_gateway_request_seconds',
  'Time from the headers of a request to the end of its answer.',
  { labels: ['operation', 'class', 'version'], buckets: SECONDS_BUCKETS },
);
const REFUSALS = declareCounter(
  'dds_gateway_refusals_total',
  'Requests answered with a problem, by the code of the problem.',
  { labels: ['code'] },
);
const IN_FLIGHT = declareGauge(
  'dds_gateway_requests_in_flight',
  'Requests that are being answered.',
);
const LOOP_DELAY = declareGauge(
  'dds_gateway_event_loop_delay_seconds',
  'Event-loop delay, 99th percentile of the last second. After two seconds above GATEWAY_LOOP_DELAY_MAX_MS, new requests are rejected.',
);
const RESERVATIONS = declareCounter(
  'dds_gateway_lease_reservations_total',
  'Reservations of credits: hit if a lease had room at once, otherwise miss.',
  { labels: ['result'] },
);
const LEASE_CALLS = declareCounter(
  'dds_gateway_lease_requests_total',
  "Requests for leases by entitlement's answer; failed if there was no answer.",
  { labels: ['outcome'] },
);
const OPEN_LEASES = declareGauge(
  'dds_gateway_open_leases',
  'Leases that entitlement may have open for this gateway.',
);
const UNSETTLED = declareGauge(
  'dds_gateway_unsettled_credits',
  'Credits charged to customers but not yet acknowledged by entitlement.',
);
const UNSETTLED_AGE = declareGauge(
  'dds_gateway_settlement_age_seconds',
  'Time since entitlement last acknowledged a settlement; 0 while no lease is open.',
);
const JOURNAL = declareGauge(
  'dds_gateway_journal_bytes',
  'Bytes written to the lease journal since it was last rewritten.',
);
const JOURNAL_FREE = declareGauge(
  'dds_gateway_journal_free_bytes',
  'Free space on the disk of the lease journal.',
);
const JOURNAL_WRITABLE = declareGauge(
  'dds_gateway_journal_writable',
  '1 if the lease journal can be written; 0 if it cannot, so that every answer is settled at once.',
);
const LOG_WAITING = declareGauge(
  'dds_gateway_request_log_waiting',
  'Entries of the request log that are not yet in the database.',
);
const LOG_DROPPED = declareCounter(
  'dds_gateway_request_log_dropped_total',
  'Entries of the request log that were dropped because the buffer was full or they were too old.',
);
const CACHED_KEYS = declareGauge('dds_gateway_cached_keys', 'Cached keys.');
const FEED_AGE = declareGauge(
  'dds_gateway_feed_age_seconds',
  'Time since the last successful poll of a change feed; from 60 s on, cached records are not used.',
  { labels: ['source'] },
);

const COUNTING = declareGauge(
  'dds_gateway_rate_limiter_mode',
  'How requests per minute are counted; the current mode is 1: memory (no server is configured), server (on the server), alone (the server is unreachable).',
  { labels: ['mode'] },
);

export interface GatewayParts {
  counters: Counters;
  counts: RequestCounts;
  /** The running requests and the event-loop delay in milliseconds. */
  shedder: { readonly inFlight: number; readonly delayMs: number };
  leases: LeaseClient;
  log: RequestLog;
  authCache: AuthCache;
  pollers: ChangePollers;
}

/** Adds the metrics of the request path. Each scrape reads them from plain numbers. */
export function addGatewayMetrics(metrics: Metrics, parts: GatewayParts): void {
  const { counts, shedder, leases, log, authCache, pollers, counters } = parts;
  metrics.addSource({ name: 'requests', read: (take) => readRequests(take, counts) });
  metrics.addSource({ name: 'leases', read: (take) => readLeases(take, leases) });
  metrics.addSource({
    name: 'gateway',
    read: (take) => {
      take(IN_FLIGHT, shedder.inFlight);
      take(LOOP_DELAY, shedder.delayMs / SECOND_MS);
      take(LOG_WAITING, log.waiting);
      take(LOG_DROPPED, log.dropped);
      take(CACHED_KEYS, authCache.size);
      for (const mode of ['memory', 'server', 'alone']) {
        take(COUNTING, counters.mode() === mode ? 1 : 0, { mode });
      }
      for (const [source, ageMs] of pollers.ages()) take(FEED_AGE, ageMs / SECOND_MS, { source });
    },
  });
}

function readRequests(take: TakeReading, counts: RequestCounts): void {
  for (const [{ operation, rateName, version }, { statuses, seconds }] of counts.byRoute) {
    const labels = { operation: operation.name, class: rateName, version: String(version) };
    take(DURATION, seconds, labels);
    for (const [status, count] of statuses.entries()) {
      if (count > 0) take(REQUESTS, count, { ...labels, status: String(status) });
    }
  }
  for (const [code, count] of counts.refusals) take(REFUSALS, count, { code });
}

function readLeases(take: TakeReading, leases: LeaseClient): void {
  const state = leases.state();
  const { counts, open, unsettledCredits, settlementAgeMs } = state;
  take(RESERVATIONS, counts.hits, { result: 'hit' });
  take(RESERVATIONS, counts.misses, { result: 'miss' });
  for (const [outcome, count] of Object.entries(counts.asked))
    take(LEASE_CALLS, count, { outcome });
  take(OPEN_LEASES, open);
  take(UNSETTLED, unsettledCredits);
  take(UNSETTLED_AGE, settlementAgeMs / SECOND_MS);
  take(JOURNAL, state.journalBytes);
  take(JOURNAL_FREE, state.journalFreeBytes);
  take(JOURNAL_WRITABLE, state.isJournalWritable ? 1 : 0);
}
