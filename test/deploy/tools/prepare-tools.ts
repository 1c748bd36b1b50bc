import { schemathesisPython } from '../../operations/schemathesis/schemathesis.js';
import { STRIPE_PYTHON } from '../../billing/stripe-sdks/python-sdk.js';
import { apiServerPrograms, chartTools, composeConfig, s3Server } from './programs.js';
import { strimziDefinitions } from './strimzi-definitions.js';

/** Runs before all tests, so that no test measures time while compilers use the cores. */
const paths = [
  await s3Server(),
  await chartTools(),
  await apiServerPrograms(),
  await composeConfig(),
  await strimziDefinitions(),
  await schemathesisPython(),
  await STRIPE_PYTHON.python(),
];
for (const path of paths.flatMap((one) => (typeof one === 'string' ? one : Object.values(one)))) {
  process.stdout.write(`${path}\n`);
}
