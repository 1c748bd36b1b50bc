import { kafkaAvailability } from '#test/environment';
import type { ApartRow } from '../row.js';
import { runSpecs } from '../spec-run.js';

const LIMIT_MS = 10 * 60_000;

export const proofSpecsRow: ApartRow = {
  name: 'pitfalls of the broker client',
  fault:
    'each known pitfall of kafkajs, outages of a broker and of Valkey as one service sees them, sabotage of the simulation',
  expectation: 'every `*.proof.spec.ts` passes',
  isApart: true,
  missing: kafkaAvailability,
  run: (bench) => runSpecs(bench, { limitMs: LIMIT_MS }),
};
