import { kafkaAvailability, valkeyAvailability } from '#test/environment';
import { clusterAvailability } from '../../../apps/cluster/src/cluster.js';
import { imageAvailability } from '../../deploy/image.js';
import { chartToolsAvailability } from '../../deploy/tools/programs.js';
import { ReleaseHistory } from '../../upgrade/releases.js';
import type { ApartScenario } from '../scenario.js';
import { runSpecs } from '../spec-run.js';

const MINUTE_MS = 60_000;

const kubernetesRow: ApartScenario = {
  name: 'kubernetes',
  isForReleases: true,
  fault: "the containers of the chart's pods get only what their pods give them",
  expectation: 'they run a whole story from the image, and every command of the manual',
  isApart: true,
  missing: () =>
    chartToolsAvailability() ?? imageAvailability() ?? kafkaAvailability() ?? valkeyAvailability(),
  run: (harness) =>
    runSpecs(harness, { limitMs: 60 * MINUTE_MS, folder: 'test/deploy/kubernetes' }),
};

const importKillsRow: ApartScenario = {
  name: 'crash import.before-commit, import.after-commit',
  isForReleases: true,
  fault: 'kill -9 of corpus at steps of its imports, in a file of each kind',
  expectation: 'the import continues by itself: every name is counted once and dropped once',
  isApart: true,
  run: (harness) =>
    runSpecs(harness, {
      limitMs: 20 * MINUTE_MS,
      project: 'system',
      folder: 'apps/corpus/src/imports/kills',
    }),
};

const countersRow: ApartScenario = {
  name: 'valkey killed, flushed, paused, slow',
  isForReleases: true,
  fault: 'Valkey fails while three gateways receive three times the limit',
  expectation: 'at most twice the limit in the minute of the fault, at most the limit afterwards',
  isApart: true,
  missing: valkeyAvailability,
  run: (harness) =>
    runSpecs(harness, {
      limitMs: 10 * MINUTE_MS,
      project: 'system',
      folder: 'libs/counters/src/valkey/valkey-rate-limiter',
    }),
};

const upgradeRow: ApartScenario = {
  name: 'upgrade',
  isForReleases: true,
  fault: 'each service of the last release replaces the new one in turn',
  expectation: 'a customer signs up, pays, looks up, leaves and returns; stored data is migrated',
  isApart: true,
  missing: () => new ReleaseHistory().missing() ?? clusterAvailability(),
  run: (harness) => runSpecs(harness, { limitMs: 60 * MINUTE_MS, folder: 'test/upgrade' }),
};

const proofSpecsRow: ApartScenario = {
  name: 'pitfalls of the broker client',
  isForReleases: true,
  fault:
    'each known pitfall of kafkajs, outages of a broker and of Valkey as one service sees them, sabotage of the simulation',
  expectation: 'every `*.proof.spec.ts` passes',
  isApart: true,
  missing: kafkaAvailability,
  run: (harness) => runSpecs(harness, { limitMs: 10 * MINUTE_MS }),
};

/** Suites that Jest runs, each with its own servers. */
export const specRows: ApartScenario[] = [
  importKillsRow,
  countersRow,
  kubernetesRow,
  upgradeRow,
  proofSpecsRow,
];
