import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { setupPostgres, teardown } from '../environment/setup.js';
import { Random } from '../random.js';
import { AREAS, type Mutant, sample, specsOf } from './sample.js';
import { type SpecOutcome, runSpecs } from './spec-run.js';

/** Mutates the compiled product repeatedly, and checks whether the specs detect the mutations (`npm run mutate`). */
const program = new Command('mutate')
  .description('changes the compiled code in one place at a time, and checks that the specs fail')
  .option('--count <number>', 'number of changes, divided among the areas', Number, 60)
  .option(
    '--seed <number>',
    'repeat the choices of the earlier run with this seed',
    Number,
    randomInt(2 ** 31),
  )
  .option('--area <name...>', `only of ${Object.keys(AREAS).join(', ')}`, Object.keys(AREAS))
  .option('--only <text...>', 'only changes whose location contains one of these words', [''])
  .option('--workers <number>', 'number of changes at a time', Number, 2)
  .parse();
const { count, seed, area, only, workers } = program.opts<{
  count: number;
  seed: number;
  area: string[];
  only: string[];
  workers: number;
}>();

const TARGET = 0.9;
/** The time limit, as a multiple of the time without a mutation, because the speed of a busy machine varies. */
const SLOWER_MAX = 3;
const LIMIT_MIN_MS = 180_000;
/** The time limit of a run without a mutation. */
const WHOLE_LIMIT_MS = 1_800_000;

const unknown = area.filter((name) => !(name in AREAS));
if (unknown.length > 0) program.error(`no such area: ${unknown.join(', ')}`);
const mutants = sample(new Random(seed), count, area).filter(({ place }) =>
  only.some((text) => place.includes(text)),
);
const say = (text: string) => void process.stdout.write(`${text}\n`);
say(`${mutants.length} changes, seed ${seed}`);

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void teardown().finally(() => process.exit(130)));
}
const judged: (Mutant & SpecOutcome)[] = [];
try {
  await setupPostgres();
  const limits: Record<string, Promise<number>> = {};
  const left = mutants.values();
  const work = async () => {
    for (const mutant of left) {
      const specs = specsOf(mutant.area, mutant.path);
      const limit = (limits[mutant.area] ??= limitOf(specs));
      const outcome = await judge(mutant, specs, await limit);
      judged.push({ ...mutant, ...outcome });
      const how = outcome.by === undefined ? 'NOT NOTICED' : 'noticed';
      say(`${judged.length}/${mutants.length} ${how}: ${mutant.place} — ${outcome.by ?? ''}`);
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
} finally {
  await teardown();
}
process.exit(report() ? 0 : 1);

async function judge({ path, start, end, replacement }: Mutant, specs: string[], limitMs: number) {
  const text = readFileSync(path, 'utf8');
  const changed = { path, text: text.slice(0, start) + replacement + text.slice(end) };
  return runSpecs({ specs, changed }, limitMs);
}

async function limitOf(specs: string[]): Promise<number> {
  let whole = await runSpecs({ specs }, WHOLE_LIMIT_MS);
  // On an overloaded machine, the specs may fail once.
  if (whole.by !== undefined) whole = await runSpecs({ specs }, WHOLE_LIMIT_MS);
  if (whole.by !== undefined) throw new Error(`the specs fail without a change: ${whole.by}`);
  return Math.max(LIMIT_MIN_MS, SLOWER_MAX * whole.ms);
}

/** @returns whether every area reaches the target. */
function report(): boolean {
  const survivors = judged.filter(({ by }) => by === undefined);
  for (const { place, line } of survivors) say(`not noticed: ${place}\n    ${line}`);
  const shares = area.map((name) => {
    const [drawn, missed] = [judged, survivors].map(
      (mutants) => mutants.filter((mutant) => mutant.area === name).length,
    );
    const share = (drawn - missed) / (drawn || 1);
    say(`${name}: ${drawn - missed} of ${drawn} noticed (${Math.round(share * 100)} %)`);
    return drawn === 0 || share >= TARGET;
  });
  return shares.every(Boolean);
}
