import { runSolo } from './run-solo.js';

await runSolo(process.argv, process.env);
