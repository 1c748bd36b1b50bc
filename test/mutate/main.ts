import { randomInt } from 'node:crypto';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Command } from 'commander';
import { setupPostgres } from '../environment/setup.js';
import teardown from '../environment/teardown.js';
import { Random } from '../random.js';
import { AREAS, type Area } from './areas.js';
import { ROOT, readCompiled } from './compiled.js';
import { type Mutant, sample } from './sample.js';
import { type SpecOutcome, endRuns, runSpecs } from './spec-run.js';

/** `npm run mutate`: mutates the compiled product repeatedly and checks whether the specs notice. */
const program = new Command('mutate')
  .description(
    'mutates the compiled code, one change at a time, and checks whether the nearest specs notice',
  )
  .option('--count <number>', 'number of changes, divided among the areas', '60')
  .option('--seed <number>', 'repeats the choices of an earlier run')
  .option('--area <name...>', `only of ${AREAS.map(({ name }) => name).join(', ')}`)
  .option('--only <text...>', 'only changes whose location contains one of these')
  .option('--workers <number>', 'number of changes at a time', '2')
  .option('--list', 'only name them')
  .option('--json <file>', 'also write the report to a file')
  .option('--enforce', 'exit with 1 if an area notices less than its target')
  .parse();
const options = program.opts<{
  count: string;
  seed?: string;
  area?: string[];
  only?: string[];
  workers: string;
  list?: boolean;
  json?: string;
  enforce?: boolean;
}>();

const TARGET = 0.9;
/** The time limit, as a multiple of the time without a change, because a busy machine varies. */
const SLOWER_MAX = 5;
const LIMIT_MIN_MS = 180_000;
/** The time limit that also ends specs that hang without a change. */
const WHOLE_LIMIT_MS = 1_800_000;

const areas = AREAS.filter(({ name }) => options.area?.includes(name) ?? true);
if (areas.length === 0) program.error(`no such area: ${options.area?.join(', ')}`);
const seed = Number(options.seed ?? randomInt(2 ** 31));
const mutants = sample(new Random(seed), Number(options.count), areas).filter(
  ({ place }) => options.only?.some((text) => place.includes(text)) ?? true,
);
const say = (text: string) => void process.stdout.write(`${text}\n`);
say(`${mutants.length} changes, seed ${seed}`);
if (options.list) {
  for (const mutant of mutants) say(lineOf(mutant));
  process.exit(0);
}

type Judged = Mutant & { outcome: SpecOutcome | { ended: 'equal' } };

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void stop().finally(() => process.exit(130)));
}
let judged: Judged[] = [];
try {
  await setupPostgres();
  judged = await judgeAll();
} finally {
  await stop();
}
const isGood = report(judged);
process.exit(options.enforce && !isGood ? 1 : 0);

/**
 * Tests several changes at a time.
 * @throws if specs fail without any change.
 */
async function judgeAll(): Promise<Judged[]> {
  const left = mutants.values();
  const found: Judged[] = [];
  const limits = new Map<string, Promise<number>>();
  const work = async () => {
    for (const mutant of left) {
      const outcome = mutant.equal ? ({ ended: 'equal' } as const) : await judge(mutant, limits);
      found.push({ ...mutant, outcome });
      const by = outcome.ended === 'failed' ? `— ${outcome.by}` : '';
      say(`${found.length}/${mutants.length} ${wordOf(outcome)}: ${lineOf(mutant)} ${by}`);
    }
  };
  await Promise.all(Array.from({ length: Number(options.workers) }, work));
  return found;
}

/** The specs of the source's own folder come first, then those of its area. */
async function judge(
  { area, path, mutation }: Mutant,
  limits: Map<string, Promise<number>>,
): Promise<SpecOutcome> {
  const nearest = specsIn(dirname(path));
  const others = area.specs.filter((spec) => !nearest.includes(spec));
  const { start, end, replacement } = mutation;
  const text = readCompiled(path);
  const changed = { path, text: text.slice(0, start) + replacement + text.slice(end) };
  let outcome: SpecOutcome = { ended: 'passed', ms: 0 };
  for (const sources of [nearest, others].filter(({ length }) => length > 0)) {
    const specs = sources.map((spec) => spec.replace(/\.ts$/, '.js'));
    const name = specs.join(' ');
    const limit = limits.get(name) ?? limitOf(specs);
    limits.set(name, limit);
    outcome = await runSpecs({ specs, changed }, await limit);
    if (outcome.ended !== 'passed') return outcome;
  }
  return outcome;
}

/** The time limit of specs, measured in a run with unchanged code, which they must pass. */
async function limitOf(specs: string[]): Promise<number> {
  let whole = await runSpecs({ specs }, WHOLE_LIMIT_MS);
  // On an overloaded machine, the specs may fail once.
  if (whole.ended !== 'passed') whole = await runSpecs({ specs }, WHOLE_LIMIT_MS);
  if (whole.ended === 'passed') return Math.max(LIMIT_MIN_MS, SLOWER_MAX * whole.ms);
  const by = whole.ended === 'failed' ? whole.by : whole.ended;
  throw new Error(`${specs.join(' ')} fails without a change: ${by}`);
}

function specsIn(folder: string): string[] {
  const source = join(ROOT, folder);
  if (!existsSync(source)) return [];
  return readdirSync(source)
    .filter((name) => name.endsWith('.spec.ts'))
    .map((name) => `${folder}/${name}`);
}

async function stop(): Promise<void> {
  endRuns();
  await teardown();
}

/** @returns whether every area reaches the target. */
function report(all: Judged[]): boolean {
  const rows = areas.map((area) => shareOf(area, all));
  for (const { name, drawn, equal, noticed, late, share } of rows) {
    const lateText = late > 0 ? `, ${late} of them because specs did not end` : '';
    say(
      `${name}: ${noticed} of ${drawn - equal} noticed (${Math.round(share * 100)} %)${lateText}; ` +
        `${equal} change nothing`,
    );
  }
  const survivors = all.filter(({ outcome }) => outcome.ended === 'passed');
  for (const mutant of survivors) say(`not noticed: ${lineOf(mutant)}\n    ${mutant.line}`);
  if (options.json) {
    const shown = survivors.map(({ place, line, change }) => ({ place, line, change }));
    writeFileSync(
      options.json,
      `${JSON.stringify({ seed, areas: rows, survivors: shown }, null, 2)}\n`,
    );
  }
  return rows.every(({ share }) => share >= TARGET);
}

function shareOf({ name }: Area, all: Judged[]) {
  const own = all.filter(({ area }) => area.name === name).map(({ outcome }) => outcome.ended);
  const of = (ended: string) => own.filter((one) => one === ended).length;
  const [equal, late] = [of('equal'), of('too late')];
  const noticed = of('failed') + late;
  const counting = own.length - equal;
  return {
    name,
    drawn: own.length,
    equal,
    noticed,
    late,
    share: counting ? noticed / counting : 1,
  };
}

function wordOf({ ended }: Judged['outcome']): string {
  return { passed: 'NOT NOTICED', failed: 'noticed', 'too late': 'never ended', equal: 'equal' }[
    ended
  ];
}

function lineOf({ place, change }: Mutant): string {
  return `${place}  ${change}`;
}
