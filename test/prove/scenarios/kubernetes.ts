import { kafkaAvailability, valkeyAvailability } from '#test/environment';
import { imageAvailability } from '../../deploy/image.js';
import {
  apiServerAvailability,
  chartToolsAvailability,
  controllersAvailability,
} from '../../deploy/tools/programs.js';
import { strimziAvailability } from '../../deploy/tools/strimzi-definitions.js';
import type { ApartScenario } from '../scenario.js';
import { runSpecs } from '../spec-run.js';

/** The first run builds Kubernetes' controllers. */
const LIMIT_MS = 2 * 60 * 60_000;

export const kubernetesRow: ApartScenario = {
  name: 'kubernetes',
  fault: 'helm install, upgrade and rollback by real controllers on simulated nodes',
  expectation:
    'a pod of each service is ready throughout, and what the pods say runs a whole story',
  isApart: true,
  missing: () =>
    chartToolsAvailability() ??
    strimziAvailability() ??
    apiServerAvailability() ??
    controllersAvailability() ??
    imageAvailability() ??
    kafkaAvailability() ??
    valkeyAvailability(),
  run: (harness) => runSpecs(harness, { limitMs: LIMIT_MS, folder: 'test/deploy/kubernetes' }),
};
