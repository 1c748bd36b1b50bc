import type { Scenario } from '../scenario.js';
import { crashJobsRow } from './crash-jobs.js';
import { crashMoneyRow } from './crash-money.js';
import { crashDutyRows } from './crash-duties.js';
import { crashFailedEventsRow } from './crash-failed-events.js';
import { crashWorkerRow } from './crash-worker.js';
import { simulationRow } from './simulation.js';
import { brokerRows } from './broker.js';
import { clockRows } from './clocks.js';
import { crashPointRows } from './crash-points.js';
import { databaseRows } from './database.js';
import { fullDiskRows } from './full-disks.js';
import { killRows } from './kills.js';
import { killsWhileBuyingRow } from './kills-while-buying.js';
import { outsideRows } from './outside.js';
import { partitionRows } from './partitions.js';
import { pauseRows } from './pauses.js';
import { specRows } from './under-jest.js';
import { rollingRestartRow } from './rolling-restart.js';

/** The fault matrix, in the order in which it runs. */
export const SCENARIOS: readonly Scenario[] = [
  rollingRestartRow,
  ...crashPointRows,
  crashFailedEventsRow,
  crashMoneyRow,
  crashWorkerRow,
  ...crashDutyRows,
  ...killRows,
  ...pauseRows,
  ...brokerRows,
  ...databaseRows,
  ...clockRows,
  ...outsideRows,
  ...partitionRows,
  ...fullDiskRows,
  crashJobsRow,
  killsWhileBuyingRow,
  simulationRow,
  ...specRows,
];
