import { kafkaAvailability } from '#test/environment';
import type { ApartScenario } from '../scenario.js';
import { runSpecs } from '../spec-run.js';

const LIMIT_MS = 10 * 60_000;

export const proofSpecsRow: ApartScenario = {
  name: 'pitfalls of the broker client',
  fault:
    'each known pitfall of kafkajs, outages of a broker and of Valkey as one service sees them, sabotage of the simulation',
  expectation: 'every `*.proof.spec.ts` passes',
  isApart: true,
  missing: kafkaAvailability,
  run: (harness) => runSpecs(harness, { limitMs: LIMIT_MS }),
};
