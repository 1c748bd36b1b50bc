import { CreditsScenario } from './credits-scenario.js';
import { EventsScenario } from './events-scenario.js';
import { AuthCacheScenario } from './auth-cache-scenario.js';
import { Random } from '../random.js';
import { SABOTAGES, type Sabotage, mend } from './sabotage.js';
import { inhabit } from './virtual-time.js';
import { FAULTS, type Fault, World } from './world.js';

export const SCENARIOS = ['events', 'credits', 'auth'] as const;
export type ScenarioName = (typeof SCENARIOS)[number];

/** What a history follows from, wholly. */
export interface Plan {
  seed: number;
  scenario: ScenarioName;
  /** Commands, requests or questions of its actors. */
  size: number;
  faults: readonly Fault[];
  sabotage?: Sabotage;
}

export interface Outcome {
  plan: Plan;
  violations: string[];
  /** Steps of actors and of what is between them. */
  steps: number;
  crashes: number;
  /** The same for the same plan, on every machine and in every order of plans. */
  trace: number;
}

/** What a run of many came to. */
export interface Tally {
  histories: number;
  counts: Record<ScenarioName, number>;
  steps: number;
  crashes: number;
  trace: number;
  failed: Outcome[];
}

const SIZE_MAX = 30;
const PROGRESS_EVERY = 1_000;

/** A history of a seed: not all faults in each, so that each is also seen without the others. */
export function planOf(seed: number, scenario?: ScenarioName, sabotage?: Sabotage): Plan {
  const random = new Random(seed);
  return {
    seed,
    scenario:
      scenario ??
      (sabotage ? SABOTAGES[sabotage].scenario : undefined) ??
      SCENARIOS[seed % SCENARIOS.length],
    size: random.between(3, SIZE_MAX),
    faults: FAULTS.filter(() => random.chance(0.7)),
    sabotage,
  };
}

export async function runHistory(plan: Plan): Promise<Outcome> {
  const random = new Random(plan.seed);
  const world = new World(random, new Set(plan.faults), random.pick([0.0005, 0.002, 0.01]));
  inhabit(world);
  try {
    await new SCENARIO[plan.scenario](world, plan.size, plan.sabotage).run();
  } catch (error) {
    world.violate(`the history broke off: ${error instanceof Error ? error.stack : String(error)}`);
  } finally {
    mend();
    inhabit(undefined);
  }
  const { violations, happened: steps, crashes, trace } = world;
  return { plan, violations, steps, crashes, trace };
}

/** Runs plan after plan; a run of a sabotage ends with the first that fails. */
export async function runHistories(
  plans: Iterable<Plan>,
  onProgress: (tally: Tally) => void = () => {},
): Promise<Tally> {
  const counts = { events: 0, credits: 0, auth: 0 };
  const tally: Tally = { histories: 0, counts, steps: 0, crashes: 0, trace: 0, failed: [] };
  for (const plan of plans) {
    const outcome = await runHistory(plan);
    tally.histories++;
    counts[plan.scenario]++;
    tally.steps += outcome.steps;
    tally.crashes += outcome.crashes;
    tally.trace = (Math.imul(tally.trace, 31) + outcome.trace) | 0;
    if (outcome.violations.length > 0) tally.failed.push(outcome);
    if (plan.sabotage && tally.failed.length > 0) break;
    if (tally.histories % PROGRESS_EVERY === 0) onProgress(tally);
  }
  return tally;
}

/** The smallest plan that still fails: fewer faults, then fewer commands. */
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

/** What replays a history. */
export function commandOf({ seed, scenario, size, faults, sabotage }: Plan): string {
  const without = FAULTS.filter((fault) => !faults.includes(fault));
  const options = [
    `--seed ${seed} --scenario ${scenario} --size ${size}`,
    without.length > 0 ? `--without ${without.join(',')}` : '',
    sabotage ? `--sabotage ${sabotage}` : '',
  ];
  return `npm run sim -- ${options.filter(Boolean).join(' ')}`;
}

const SCENARIO = { events: EventsScenario, credits: CreditsScenario, auth: AuthCacheScenario };
