import { setTimeout as sleep } from 'node:timers/promises';
import type { Metrics } from '../telemetry/metrics.js';
import { declareGauge } from '../telemetry/metric-declarations.js';
import type { Health } from './health.js';

const READY = declareGauge(
  'dds_service_ready',
  'Whether a process of the service takes requests (1) or not (0), as its /ready says. Missing if it does not run.',
  { labels: ['service'] },
);
/** A check that takes longer counts as failed; the scrape itself may take 3 s. */
const CHECK_LIMIT_MS = 2_000;

/** Tells with every scrape whether the process is ready. */
export function addReadiness(metrics: Metrics, health: Health, service: string): void {
  metrics.addSource({
    name: 'readiness',
    read: async (take) => {
      const timer = new AbortController();
      const late = sleep(CHECK_LIMIT_MS, false, { signal: timer.signal }).catch(() => false);
      const ready = health.readiness().then(({ isReady }) => isReady);
      take(READY, (await Promise.race([ready, late])) ? 1 : 0, { service });
      timer.abort();
    },
  });
}
