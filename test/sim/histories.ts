import fc from 'fast-check';
import { Random } from '../random.js';
import { History } from './history.js';
import type { Sabotage } from './messaging-statements.js';
import { inhabit } from './virtual-time.js';
import { FAULTS, World } from './world.js';

const COMMANDS_MAX = 30;

/**
 * Determines a history completely. Half of the plans draw their faults, so that each fault also occurs without the
 * others.
 */
const PLAN = fc.record({
  seed: fc.noShrink(fc.integer()),
  commands: fc.noBias(fc.integer({ min: 1, max: COMMANDS_MAX })),
  faults: fc.oneof(
    { withCrossShrink: true },
    fc.noBias(fc.subarray([...FAULTS])),
    fc.constant([...FAULTS]),
  ),
});
type Plan = typeof PLAN extends fc.Arbitrary<infer T> ? T : never;

/** The choice of histories to run. A path selects one history of a seed, or a reduced one. */
export interface Selection {
  seed: number;
  histories: number;
  path?: string;
  sabotage?: Sabotage;
}

export interface Tally {
  histories: number;
  steps: number;
  crashes: number;
  /** A hash of each history, which is the same on every machine and for every order of histories. */
  traces: string[];
  /** The first failure, reduced, with the command that replays it. */
  failed?: { violations: string[]; replay: string };
}

export async function runHistories(selection: Selection): Promise<Tally> {
  const { seed, histories, path, sabotage } = selection;
  const tally: Tally = { histories: 0, steps: 0, crashes: 0, traces: [] };
  let violations: string[] = [];
  const property = fc.asyncProperty(PLAN, async (plan) => {
    const world = await lived(plan, sabotage);
    tally.histories++;
    tally.steps += world.happened;
    tally.crashes += world.crashes;
    tally.traces.push((world.trace >>> 0).toString(16).padStart(8, '0'));
    if (world.violations.length === 0) return true;
    violations = world.violations;
    return false;
  });
  const numRuns = path === undefined ? histories : 1;
  const endOnFailure = path !== undefined;
  const outcome = await fc.check(property, { seed, path, numRuns, endOnFailure });
  if (!outcome.failed) return tally;
  const words = [`--seed ${seed} --path ${outcome.counterexamplePath}`];
  if (sabotage) words.push(`--sabotage ${sabotage}`);
  return { ...tally, failed: { violations, replay: `npm run sim -- ${words.join(' ')}` } };
}

async function lived({ seed, commands, faults }: Plan, sabotage?: Sabotage): Promise<World> {
  const random = new Random(seed);
  const world = new World(random, new Set(faults), random.pick([0.0005, 0.002, 0.01]));
  inhabit(world);
  try {
    await new History(world, commands, sabotage).run();
  } catch (error) {
    world.violate(
      `the history was aborted: ${error instanceof Error ? error.stack : String(error)}`,
    );
  } finally {
    inhabit(undefined);
  }
  return world;
}
