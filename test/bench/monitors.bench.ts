import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { MonitorRule } from '#libs/contracts';
import { monotonicMs } from '#libs/platform';
import { generatedName } from '../../apps/corpus/src/generator/generated-labels.js';
import {
  BrandMatcher,
  type SoughtName,
  soughtName,
} from '../../apps/worker/src/monitors/matches/brand-matcher.js';
import type { BenchReport, BenchRow } from './bench.js';

const BRANDS = 10_000;
const NAMES = 300_000;
const SEED = 22;
/** Brands are labels of names that are not among the new ones. */
const BRANDS_FROM = 1_000_000;
const KEYWORD_LENGTH_MIN = 5;
const MIB = 2 ** 20;

interface Run {
  wallMs: number;
  cpuMs: number;
  hits: number;
}

/** `npm run bench monitors`: a day's new names against the monitors of all customers. */
export async function run(
  _figures?: string[],
  { isShort } = { isShort: false },
): Promise<BenchReport> {
  const brands = brandKeywords();
  const names = Array.from({ length: isShort ? NAMES / 10 : NAMES }, (_, index) => {
    const name = generatedName(index, SEED);
    return soughtName(name, name);
  });
  const share = names.length / NAMES;
  const rows = [false, true].flatMap((withTypos) => {
    const compiled = timed(() => compile(brands, withTypos));
    const { wallMs, cpuMs, hits } = matchAll(compiled.value, names);
    const what = `${BRANDS.toLocaleString('en')} brands, ${names.length.toLocaleString('en')} names${withTypos ? ', with typos' : ''}`;
    const targetMs = (withTypos ? 20_000 : 5_000) * share;
    return [
      atMost(`${what}: on the wall`, wallMs, targetMs, 'ms'),
      { what: `${what}: processor time`, value: Math.round(cpuMs), unit: 'ms' },
      { what: `${what}: compiled in`, value: Math.round(compiled.ms), unit: 'ms' },
      { what: `${what}: finds`, value: hits, unit: '' },
      atMost(`${what}: resident with the names, after it`, residentMib(), 256, 'MiB'),
    ];
  });
  return { title: 'monitors: new names against brands', rows };
}

/** Labels as they are registered; all different. */
function brandKeywords(): string[] {
  const found = new Set<string>();
  for (let index = BRANDS_FROM; found.size < BRANDS; index++) {
    const [label] = generatedName(index, SEED).split('.', 1);
    if (label.length >= KEYWORD_LENGTH_MIN && !label.startsWith('xn--')) found.add(label);
  }
  return [...found];
}

function compile(keywords: readonly string[], withTypos: boolean): BrandMatcher {
  const rule: MonitorRule = { match: 'contains', with_typos: withTypos };
  return new BrandMatcher(keywords.map((keyword) => ({ ...rule, keyword })));
}

function matchAll(matcher: BrandMatcher, names: readonly SoughtName[]): Run {
  const before = process.cpuUsage();
  let hits = 0;
  const { ms: wallMs } = timed(() => {
    for (const name of names) hits += matcher.match(name).length;
  });
  const { user, system } = process.cpuUsage(before);
  return { wallMs, cpuMs: (user + system) / 1_000, hits };
}

function timed<T>(work: () => T): { value: T; ms: number } {
  const from = monotonicMs();
  const value = work();
  return { value, ms: monotonicMs() - from };
}

function residentMib(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().rss / MIB;
}

function atMost(what: string, value: number, max: number, unit: string): BenchRow {
  return { what, value: Math.round(value), unit, target: `≤ ${max} ${unit}`, ok: value <= max };
}
