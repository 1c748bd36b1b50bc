import type { Scenario } from '../scenario.js';
import { clockRows } from './clocks.js';
import { crashJobsRow } from './crash-jobs.js';
import { crashFailedEventsRow, crashPointRows } from './crash-points.js';
import { crashWorkerRows } from './crash-worker.js';
import { killRows, killsWhileBuyingRow } from './kills.js';
import { outageRows } from './outages.js';
import { programRows } from './programs.js';
import { rollingRestartRow } from './rolling-restart.js';
import { strikeRows } from './strikes.js';

/** The fault matrix, in the order in which it runs. */
export const SCENARIOS: readonly Scenario[] = [
  rollingRestartRow,
  ...crashPointRows,
  crashFailedEventsRow,
  crashJobsRow,
  ...crashWorkerRows,
  ...killRows,
  ...outageRows,
  ...strikeRows,
  ...clockRows,
  killsWhileBuyingRow,
  ...programRows,
];
