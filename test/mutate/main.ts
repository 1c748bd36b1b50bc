import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { setupPostgres, teardown } from '../environment/setup.js';
import { Random } from '../random.js';
import { AREAS, type Mutant, sample, specsOf } from './sample.js';
import { type SpecOutcome, runSpecs } from './spec-run.js';

/**
 * Mutates the compiled product repeatedly, and checks whether the specs detect the mutations (`npm run mutate`).
 * README.md describes the options.
 */
const number = (usual: number) => ({ type: 'string', default: String(usual) }) as const;
const words = (...usual: string[]) => ({ type: 'string', multiple: true, default: usual }) as const;
const { area, only, ...numbers } = parseArgs({
  options: {
    count: number(60),
    seed: number(randomInt(2 ** 31)),
    area: words(...Object.keys(AREAS)),
    only: words(''),
    workers: number(2),
  },
}).values;
const [count, seed, workers] = [numbers.count, numbers.seed, numbers.workers].map(Number);

const TARGET = 0.9;
/** The time limit, as a multiple of the time without a mutation, because the speed of a busy machine varies. */
const SLOWER_MAX = 3;
const LIMIT_MIN_MS = 180_000;
/** The time limit of a run without a mutation. */
const WHOLE_LIMIT_MS = 1_800_000;

const unknown = area.filter((name) => !(name in AREAS));
if (unknown.length > 0) throw new Error(`no such area: ${unknown.join(', ')}`);
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

/**
 * Prints the undetected mutations, and the share of detected ones by area.
 * @returns whether every area reaches the target.
 */
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
