import { generatedName } from '../../apps/corpus/src/generator/generated-labels.js';
import { BrandMatcher, soughtName } from '../../apps/worker/src/monitor-matches/brand-matcher.js';
import { type BenchOptions, type BenchReport, atMost } from './bench.js';

const BRANDS = 10_000;
const NAMES = 300_000;
const SEED = 22;
/** The index of the first name from which brands are taken. It is not among the new names. */
const BRANDS_FROM = 1_000_000;
const KEYWORD_LENGTH_MIN = 5;

/** Matches a day's new names against the brands of all customers (`npm run bench monitors`). */
export async function measure({ isShort }: BenchOptions): Promise<BenchReport> {
  const count = isShort ? NAMES / 10 : NAMES;
  const names = Array.from({ length: count }, (_, at) => generatedName(at, SEED));
  const brands = brandKeywords();
  const rows = [false, true].map((withTypos) => {
    const rule = { match: 'contains', with_typos: withTypos } as const;
    const matcher = new BrandMatcher(brands.map((keyword) => ({ ...rule, keyword })));
    const before = process.cpuUsage();
    for (const name of names) matcher.match(soughtName(name, name));
    const { user, system } = process.cpuUsage(before);
    const what = `${BRANDS} brands, ${count} names${withTypos ? ', with typos' : ''}, CPU time`;
    const targetMs = ((withTypos ? 20_000 : 5_000) * count) / NAMES;
    return atMost(what, (user + system) / 1_000, targetMs, 'ms');
  });
  return { title: 'monitors: new names against brands', rows };
}

/** Generates distinct labels that resemble those of registered names. */
function brandKeywords(): string[] {
  const found = new Set<string>();
  for (let index = BRANDS_FROM; found.size < BRANDS; index++) {
    const [label] = generatedName(index, SEED).split('.', 1);
    if (label.length >= KEYWORD_LENGTH_MIN && !label.startsWith('xn--')) found.add(label);
  }
  return [...found];
}
