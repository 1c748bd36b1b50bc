import { kafkaAvailability, valkeyAvailability } from '#test/environment';
import { clusterAvailability } from '../../../apps/cluster/src/cluster.js';
import { imageAvailability } from '../../deploy/image.js';
import {
  apiServerAvailability,
  chartToolsAvailability,
  controllersAvailability,
} from '../../deploy/tools/programs.js';
import { strimziAvailability } from '../../deploy/tools/strimzi-definitions.js';
import { ReleaseHistory } from '../../upgrade/releases.js';
import type { ApartScenario } from '../scenario.js';
import { runSpecs } from '../spec-run.js';

const MINUTE_MS = 60_000;

const kubernetesRow: ApartScenario = {
  name: 'kubernetes',
  fault: 'helm install, upgrade and rollback by real controllers on simulated nodes',
  expectation:
    'a pod of each service is ready throughout, and the containers of the pods run a whole story',
  isApart: true,
  missing: () =>
    chartToolsAvailability() ??
    strimziAvailability() ??
    apiServerAvailability() ??
    controllersAvailability() ??
    imageAvailability() ??
    kafkaAvailability() ??
    valkeyAvailability(),
  // The first run builds Kubernetes' controllers.
  run: (harness) =>
    runSpecs(harness, { limitMs: 120 * MINUTE_MS, folder: 'test/deploy/kubernetes' }),
};

const upgradeRow: ApartScenario = {
  name: 'upgrade',
  fault: 'each service of the last release replaces the new one in turn',
  expectation: 'a customer signs up, pays, looks up, leaves and returns; stored data is migrated',
  isApart: true,
  missing: () => new ReleaseHistory().missing() ?? clusterAvailability(),
  run: (harness) => runSpecs(harness, { limitMs: 60 * MINUTE_MS, folder: 'test/upgrade' }),
};

const proofSpecsRow: ApartScenario = {
  name: 'pitfalls of the broker client',
  fault:
    'each known pitfall of kafkajs, outages of a broker and of Valkey as one service sees them, sabotage of the simulation',
  expectation: 'every `*.proof.spec.ts` passes',
  isApart: true,
  missing: kafkaAvailability,
  run: (harness) => runSpecs(harness, { limitMs: 10 * MINUTE_MS }),
};

/** Suites that Jest runs, each with its own servers. */
export const specRows: ApartScenario[] = [kubernetesRow, upgradeRow, proofSpecsRow];
