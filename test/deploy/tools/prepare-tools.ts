import { chartSchemas } from '../chart-schemas.js';
import { apiServerPrograms, chartTools, composeConfig } from './programs.js';

/** Before all tests, so that no test measures time while compilers take the cores. */
const paths = [
  await chartTools(),
  await apiServerPrograms(),
  await composeConfig(),
  await chartSchemas(),
];
for (const path of paths.flatMap((one) => (typeof one === 'string' ? one : Object.values(one)))) {
  process.stdout.write(`${path}\n`);
}
