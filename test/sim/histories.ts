import { Random } from '../random.js';
import { History } from './history.js';
import type { Sabotage } from './sabotage.js';
import { inhabit } from './virtual-time.js';
import { FAULTS, type Fault, World } from './world.js';

/** A plan, which determines a history completely. */
export interface Plan {
  seed: number;
  /** The number of commands of its actors. */
  size: number;
  faults: readonly Fault[];
  sabotage?: Sabotage;
}

/** The result of one history. */
export interface Ending {
  plan: Plan;
  violations: string[];
  /** The number of steps of actors and of the systems between them. */
  steps: number;
  crashes: number;
  /** A hash that is the same for the same plan, on every machine and in every order of plans. */
  trace: number;
}

/** The totals of a run of many histories. */
export interface Tally {
  histories: number;
  steps: number;
  crashes: number;
  trace: number;
  failed: Ending[];
}

const SIZE_MAX = 30;
const PROGRESS_EVERY = 1_000;

/** The history of a seed. It has only some of the faults, so that each fault also occurs without the others. */
export function planOf(seed: number, sabotage?: Sabotage): Plan {
  const random = new Random(seed);
  return {
    seed,
    size: random.between(3, SIZE_MAX),
    faults: FAULTS.filter(() => random.chance(0.7)),
    sabotage,
  };
}

export async function runHistory(plan: Plan): Promise<Ending> {
  const random = new Random(plan.seed);
  const world = new World(random, new Set(plan.faults), random.pick([0.0005, 0.002, 0.01]));
  inhabit(world);
  try {
    await new History(world, plan.size, plan.sabotage).run();
  } catch (error) {
    world.violate(`the history broke off: ${error instanceof Error ? error.stack : String(error)}`);
  } finally {
    inhabit(undefined);
  }
  const { violations, happened: steps, crashes, trace } = world;
  return { plan, violations, steps, crashes, trace };
}

/** Runs one plan after another; with a sabotage, the run ends with the first failure. */
export async function runHistories(
  plans: Iterable<Plan>,
  onProgress: (tally: Tally) => void = () => {},
): Promise<Tally> {
  const tally: Tally = { histories: 0, steps: 0, crashes: 0, trace: 0, failed: [] };
  for (const plan of plans) {
    const ending = await runHistory(plan);
    tally.histories++;
    tally.steps += ending.steps;
    tally.crashes += ending.crashes;
    tally.trace = (Math.imul(tally.trace, 31) + ending.trace) | 0;
    if (ending.violations.length > 0) tally.failed.push(ending);
    if (plan.sabotage && tally.failed.length > 0) break;
    if (tally.histories % PROGRESS_EVERY === 0) onProgress(tally);
  }
  return tally;
}

/** The smallest plan that still fails: first with fewer faults, then with fewer commands. */
export async function minimise(plan: Plan): Promise<Plan> {
  const fails = async (smaller: Plan) => (await runHistory(smaller)).violations.length > 0;
  let least = plan;
  for (const fault of plan.faults) {
    const smaller = { ...least, faults: least.faults.filter((other) => other !== fault) };
    if (await fails(smaller)) least = smaller;
  }
  for (let size = 1; size < least.size; size++) {
    const smaller = { ...least, size };
    if (await fails(smaller)) return smaller;
  }
  return least;
}

/** The command that replays a history. */
export function commandOf({ seed, size, faults, sabotage }: Plan): string {
  const without = FAULTS.filter((fault) => !faults.includes(fault));
  const options = [
    `--seed ${seed} --size ${size}`,
    without.length > 0 ? `--without ${without.join(',')}` : '',
    sabotage ? `--sabotage ${sabotage}` : '',
  ];
  return `npm run sim -- ${options.filter(Boolean).join(' ')}`;
}
