import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { kafkaAvailability, valkeyAvailability } from '#test/environment';
import { clusterAvailability } from '../../../apps/cluster/src/cluster.js';
import { imageAvailability } from '../../deploy/image.js';
import {
  apiServerAvailability,
  chartToolsAvailability,
  controllersAvailability,
} from '../../deploy/tools/programs.js';
import { lastReleaseMissing } from '../../upgrade/last-release.js';
import { type Bench, type Row, holds } from '../row.js';

export const kubernetesRow: Row = {
  name: 'kubernetes',
  fault: 'helm install, upgrade and rollback by real controllers on simulated nodes',
  expectation:
    'a pod of each service is ready throughout, and what the pods say runs a whole story',
  isApart: true,
  missing: () =>
    chartToolsAvailability() ??
    apiServerAvailability() ??
    controllersAvailability() ??
    imageAvailability() ??
    kafkaAvailability() ??
    valkeyAvailability(),
  run: (bench) => run(bench, 'test/deploy/kubernetes'),
};

export const upgradeRow: Row = {
  name: 'upgrade',
  fault: 'each service of the last release takes the place of the new one in turn',
  expectation:
    'a customer signs up, pays, looks up, leaves and returns; what was stored is migrated',
  isApart: true,
  missing: () => lastReleaseMissing() ?? clusterAvailability(),
  run: (bench) => run(bench, 'test/upgrade'),
};

const JEST = [
  '--experimental-vm-modules',
  '--enable-source-maps',
  '--disable-warning=ExperimentalWarning',
  'node_modules/jest/bin/jest.js',
];
/** With what the configuration leaves to these rows; every word behind the last option would be a further pattern. */
const OPTIONS = ['--config=jest.proof.config.js', '--testPathIgnorePatterns=/node_modules/'];
const TAIL_CHARACTERS = 4_000;

/** Stories are told to Jest, so a row is a run of it. */
async function run(bench: Bench, specs: string): Promise<void> {
  const child = spawn(process.execPath, [...JEST, specs, ...OPTIONS], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      for (const line of text.split('\n').filter((one) => /^\s+[✓✕]/.test(one)))
        bench.say(line.trim());
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  bench.count('steps', output.match(/✓/g)?.length ?? 0);
  holds(code === 0, output.slice(-TAIL_CHARACTERS));
}
