import { CreditsScenario } from './credits-scenario.js';
import { EventsScenario } from './events-scenario.js';
import { FactsScenario } from './facts-scenario.js';
import { Random } from './random.js';
import type { Sabotage } from './sabotage.js';
import { inhabit } from './virtual-time.js';
import { FAULTS, type Fault, World } from './world.js';

export const SCENARIOS = ['events', 'credits', 'facts'] as const;
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
}

const SIZE_MAX = 30;

/** A history of a seed: not all faults in each, so that each is also seen without the others. */
export function planOf(seed: number, scenario?: ScenarioName, sabotage?: Sabotage): Plan {
  const random = new Random(seed);
  return {
    seed,
    scenario: scenario ?? SCENARIOS[seed % SCENARIOS.length],
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
    inhabit(undefined);
  }
  const { violations, happened: steps, crashes } = world;
  return { plan, violations, steps, crashes };
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

const SCENARIO = { events: EventsScenario, credits: CreditsScenario, facts: FactsScenario };
