import { clusterAvailability } from '../../../apps/cluster/src/cluster.js';
import { ReleaseHistory } from '../../upgrade/releases.js';
import type { ApartScenario } from '../scenario.js';
import { runSpecs } from '../spec-run.js';

const LIMIT_MS = 60 * 60_000;

export const upgradeRow: ApartScenario = {
  name: 'upgrade',
  fault: 'each service of the last release takes the place of the new one in turn',
  expectation:
    'a customer signs up, pays, looks up, leaves and returns; what was stored is migrated',
  isApart: true,
  missing: () => new ReleaseHistory().missing() ?? clusterAvailability(),
  run: (harness) => runSpecs(harness, { limitMs: LIMIT_MS, folder: 'test/upgrade' }),
};
