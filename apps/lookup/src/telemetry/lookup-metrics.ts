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
  'Answers to live questions, by how they ended and where they came from.',
  { labels: ['outcome', 'served_from'] },
);
const UPSTREAM = declareHistogram(
  'dds_lookup_upstream_seconds',
  'Time that one question to a registry or registrar took, by how it ended; the wait for a turn is not in it.',
  { labels: ['protocol', 'role', 'outcome'], buckets: SECONDS_BUCKETS },
);
const RUNS = declareCounter(
  'dds_lookup_runs_total',
  'Lookups that went out (started), and callers who shared one under way (joined).',
  { labels: ['result'] },
);
const UNDER_WAY = declareGauge(
  'dds_lookup_under_way',
  'Lookups that wait for a registry or registrar, or for their turn there.',
);
const CACHE_ENTRIES = declareGauge('dds_lookup_cache_entries', 'Answers in memory.');
const OBSERVATIONS = declareCounter(
  'dds_lookup_observations_total',
  'Answers for the corpus: taken by it (handed_over), pushed out while it was away (dropped), not understood (refused).',
  { labels: ['result'] },
);
const OBSERVATIONS_WAITING = declareGauge(
  'dds_lookup_observations_waiting',
  'Answers that wait to be handed over to the corpus.',
);
const CACHE_BYTES = declareGauge('dds_lookup_cache_bytes', 'Their estimated size.');

export interface LookupParts {
  answers: AnswerCounts;
  lookups: LookupCounts;
  observations: Pick<ObservationsService, 'counts'>;
  /** One for each kind of request. */
  caches: readonly { size: { entries: number; bytes: number } }[];
}

/** Lookup's answers and questions, from memory. */
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
