import { type Metrics, declareGauge } from '#libs/platform';
import type { Database } from './database.js';

const CONNECTIONS = declareGauge(
  'dds_database_connections',
  'Connections of a pool that are idle or in use.',
  { labels: ['pool', 'state'] },
);
const WAITING = declareGauge(
  'dds_database_waiting',
  'Statements and transactions that wait for a connection of a pool.',
  { labels: ['pool'] },
);

/** Registers the metrics of pools. @param pools the pools by short names, such as their roles. */
export function addPoolMetrics(
  metrics: Metrics,
  pools: Record<string, Pick<Database, 'pool'>>,
): void {
  metrics.addSource({
    name: 'database pools',
    read: (take) => {
      for (const [name, { pool }] of Object.entries(pools)) {
        take(CONNECTIONS, pool.idle, { pool: name, state: 'idle' });
        take(CONNECTIONS, pool.connections - pool.idle, { pool: name, state: 'used' });
        take(WAITING, pool.waiting, { pool: name });
      }
    },
  });
}
