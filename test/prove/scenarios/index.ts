import type { Scenario } from '../scenario.js';
import { brokerRows } from './broker.js';
import { clockRows } from './clocks.js';
import { crashJobsRow } from './crash-jobs.js';
import { crashFailedEventsRow, crashPointRows } from './crash-points.js';
import { crashWorkerRows } from './crash-worker.js';
import { databaseRows } from './database.js';
import { fullDiskRow } from './full-disk.js';
import { killRows, killsWhileBuyingRow } from './kills.js';
import { partitionRows } from './partitions.js';
import { pauseRows } from './pauses.js';
import { programRows } from './programs.js';
import { rollingRestartRow } from './rolling-restart.js';

/** The fault matrix, in the order in which it runs. */
export const SCENARIOS: readonly Scenario[] = [
  rollingRestartRow,
  ...crashPointRows,
  crashFailedEventsRow,
  crashJobsRow,
  ...crashWorkerRows,
  ...killRows,
  ...pauseRows,
  ...brokerRows,
  ...databaseRows,
  ...clockRows,
  ...partitionRows,
  fullDiskRow,
  killsWhileBuyingRow,
  ...programRows,
];
