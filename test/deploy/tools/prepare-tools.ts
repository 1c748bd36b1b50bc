import { schemathesisPython } from '../../operations/schemathesis/schemathesis.js';
import { ImageStore, imageAvailability } from '../image.js';
import { STRIPE_PYTHON } from '../../billing/stripe-sdks/python-sdk.js';
import { apiServerPrograms, chartTools, composeConfig, s3Server } from './programs.js';
import { strimziDefinitions } from './strimzi-definitions.js';

/** Builds or fetches the tools before all tests, so that compilers do not take the cores from tests. */
const paths = await Promise.all([
  s3Server(),
  chartTools(),
  apiServerPrograms(),
  composeConfig(),
  strimziDefinitions(),
  schemathesisPython(),
  STRIPE_PYTHON.python(),
  imageAvailability() === undefined ? new ImageStore().build() : [],
]);
for (const path of paths.flatMap((one) => (typeof one === 'string' ? one : Object.values(one)))) {
  process.stdout.write(`${path}\n`);
}
