import { type Metrics, declareGauge } from '#libs/platform';
import type { ImportFilesService } from '../imports/import-files.service.js';

const LAG = declareGauge(
  'dds_corpus_log_lag_seconds',
  'Time since a followed certificate transparency log was last imported up to its end.',
  { labels: ['source'] },
);
const BEHIND = declareGauge(
  'dds_corpus_log_lag_entries',
  'Certificates of a followed log, as of its last check, that are not imported yet.',
  { labels: ['source'] },
);
const FAILED = declareGauge(
  'dds_corpus_import_failed',
  'Whether the last run of a source, or its newest file, failed (1) or not (0).',
  { labels: ['source'] },
);

/** Adds the metrics of the lag of followed logs, and of failing sources. */
export function addImportMetrics(
  metrics: Metrics,
  files: Pick<ImportFilesService, 'listLags' | 'listNewest'>,
): void {
  metrics.addSource({
    name: 'imports',
    read: async (take) => {
      for (const { source, entries, seconds } of await files.listLags()) {
        take(LAG, seconds, { source });
        take(BEHIND, entries, { source });
      }
      for (const { source, isFailed } of await files.listNewest()) {
        take(FAILED, Number(isFailed), { source });
      }
    },
  });
}
