import { CHANGES_MAX, type MonitorRule } from '#libs/contracts';
import { monotonicMs } from '#libs/platform';
import { generatedName } from '../../../apps/corpus/src/generator/generated-labels.js';
import {
  BrandMatcher,
  soughtName,
} from '../../../apps/worker/src/monitor-matches/brand-matcher.js';

/** The task for a separate process. */
export interface MatchTerms {
  brands: number;
  names: number;
  withTypos: boolean;
}

/** The result of the task. */
export interface MatchFigures {
  compileMs: number;
  wallMs: number;
  cpuMs: number;
  hits: number;
  peakMib: number;
}

const SEED = 22;
/** Brands are labels of names that are not among the new ones. */
const BRANDS_FROM = 1_000_000;
const KEYWORD_LENGTH_MIN = 5;
const KIB_PER_MIB = 1_024;

/** Distinct labels like those of registered names. */
function brandKeywords(count: number): string[] {
  const found = new Set<string>();
  for (let index = BRANDS_FROM; found.size < count; index++) {
    const [label] = generatedName(index, SEED).split('.', 1);
    if (label.length >= KEYWORD_LENGTH_MIN && !label.startsWith('xn--')) found.add(label);
  }
  return [...found];
}

/** Matches page by page, as the worker does. The time to generate the names is not counted. */
function matchNames({ brands, names, withTypos }: MatchTerms): MatchFigures {
  const rule: MonitorRule = { match: 'contains', with_typos: withTypos };
  const rules = brandKeywords(brands).map((keyword) => ({ ...rule, keyword }));
  const begin = monotonicMs();
  const matcher = new BrandMatcher(rules);
  const compileMs = monotonicMs() - begin;
  const sums = { wallMs: 0, cpuMs: 0, hits: 0 };
  for (let from = 0; from < names; from += CHANGES_MAX) {
    const page = Array.from({ length: Math.min(CHANGES_MAX, names - from) }, (_, at) =>
      generatedName(from + at, SEED),
    );
    const before = process.cpuUsage();
    const fromMs = monotonicMs();
    for (const name of page) sums.hits += matcher.match(soughtName(name, name)).length;
    sums.wallMs += monotonicMs() - fromMs;
    const { user, system } = process.cpuUsage(before);
    sums.cpuMs += (user + system) / 1_000;
  }
  return { compileMs, ...sums, peakMib: process.resourceUsage().maxRSS / KIB_PER_MIB };
}

process.once('message', (terms: MatchTerms) => {
  process.send!(matchNames(terms), () => process.disconnect());
});
