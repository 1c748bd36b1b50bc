import { chartSchemas } from './chart-schemas.js';
import { chartTools } from './chart-tools.js';

/** Before all tests, so that no test measures time while compilers take the cores. */
const { helm, kubeconform } = await chartTools();
process.stdout.write(`${helm}\n${kubeconform}\n${await chartSchemas()}\n`);
