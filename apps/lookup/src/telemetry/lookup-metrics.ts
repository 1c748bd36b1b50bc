import {
  type Metrics,
  SECONDS_BUCKETS,
  declareCounter,
  declareGauge,
  declareHistogram,
} from '#libs/platform';
import type { LookupCounts } from '#libs/resolvers';
import type { ObservationsService } from '../observations/observations.service.js';
import type { AnswerCounts } from '../answers/answer-counts.js';

const ANSWERS = declareCounter(
  'dds_lookup_answers_total',
  'Answers to live lookups, by outcome and source.',
  { labels: ['outcome', 'served_from'] },
);
const UPSTREAM = declareHistogram(
  'dds_lookup_upstream_seconds',
  'Duration of one query to a registry or registrar, by outcome, without the wait for a turn.',
  { labels: ['protocol', 'role', 'outcome'], buckets: SECONDS_BUCKETS },
);
const RUNS = declareCounter(
  'dds_lookup_runs_total',
  'Lookups started (started), and callers that joined a running one (joined).',
  { labels: ['result'] },
);
const UNDER_WAY = declareGauge(
  'dds_lookup_under_way',
  'Lookups waiting for a registry or registrar, or for their turn there.',
);
const CACHE_ENTRIES = declareGauge('dds_lookup_cache_entries', 'Cached answers.');
const OBSERVATIONS = declareCounter(
  'dds_lookup_observations_total',
  'Observations for the corpus: accepted (handed_over), dropped while the corpus was unavailable (dropped), or rejected (refused).',
  { labels: ['result'] },
);
const OBSERVATIONS_WAITING = declareGauge(
  'dds_lookup_observations_waiting',
  'Observations waiting to be sent to the corpus.',
);
const CACHE_BYTES = declareGauge('dds_lookup_cache_bytes', 'Estimated size of the cached answers.');

export interface LookupParts {
  answers: AnswerCounts;
  lookups: LookupCounts;
  observations: Pick<ObservationsService, 'counts'>;
  caches: readonly { size: { entries: number; bytes: number } }[];
}

/** Adds the metrics of lookup's answers and queries, read from memory. */
export function addLookupMetrics(
  metrics: Metrics,
  { answers, lookups, observations, caches }: LookupParts,
): void {
  metrics.addSource({
    name: 'lookups',
    read: (take) => {
      for (const { outcome, servedFrom, count } of answers.all()) {
        take(ANSWERS, count, { outcome, served_from: servedFrom });
      }
      take(RUNS, lookups.started, { result: 'started' });
      take(UNDER_WAY, lookups.underWay);
      take(RUNS, lookups.joined, { result: 'joined' });
      for (const { protocol, role, outcome, seconds } of lookups.sources) {
        take(UPSTREAM, seconds, { protocol, role, outcome });
      }
      const { handedOver, dropped, refused, waiting } = observations.counts;
      take(OBSERVATIONS, handedOver, { result: 'handed_over' });
      take(OBSERVATIONS, dropped, { result: 'dropped' });
      take(OBSERVATIONS, refused, { result: 'refused' });
      take(OBSERVATIONS_WAITING, waiting);
      take(CACHE_ENTRIES, sum(caches.map(({ size }) => size.entries)));
      take(CACHE_BYTES, sum(caches.map(({ size }) => size.bytes)));
    },
  });
}

const sum = (numbers: number[]) => numbers.reduce((total, one) => total + one, 0);
