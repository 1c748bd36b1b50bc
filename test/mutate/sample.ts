import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Random } from '../random.js';
import { type Mutation, lineAt, mutationsOf } from './mutations.js';

/** The parts that are mutated, and the specs that should notice, as patterns of paths within `dist`. */
export const AREAS: Record<string, { sources: RegExp; specs: RegExp }> = {
  entitlement: {
    sources:
      /^apps\/entitlement\/src\/(ledger|grants|payments|reversals|subscriptions|leases|reservations|holds|due-accounts)\//,
    specs: /^(apps\/entitlement\/src|test\/entitlement)\//,
  },
  messaging: {
    sources: /^libs\/messaging\/src\/(outbox|relay|inbox|consumer|failed-events)\//,
    specs: /^libs\/messaging\/src\//,
  },
  'gateway lease': {
    sources: /^apps\/gateway\/src\/lease\//,
    specs: /^(apps\/gateway\/src\/(lease|holds)|test\/gateway)\//,
  },
  billing: {
    sources: /^apps\/billing\/src\/(bills|losses|payments|plan-changes|pricing|refunds|returns)\//,
    specs: /^apps\/billing\/src\//,
  },
};
/** The schema and the compiler check columns and names, and every start of a service exercises its wiring. */
const NO_RULES = /\.(entity|dto|module|config|errors|spec|contract)\.js$/;
const SHOWN_MAX = 60;
const DIST = join(import.meta.dirname, '../..');

export interface Mutant extends Mutation {
  area: string;
  path: string;
  /** The line in `dist`, with the replaced text and its replacement. */
  place: string;
  line: string;
}

/** Draws at most `count` mutations, divided evenly among the areas. The same seed and code give the same mutations. */
export function sample(random: Random, count: number, areas: readonly string[]): Mutant[] {
  const share = Math.ceil(count / areas.length);
  const drawn = areas.map((area) => draw(random.for(area), mutantsOf(area)).slice(0, share));
  return Array.from({ length: share }, (_, at) => drawn.flatMap((own) => own.slice(at, at + 1)))
    .flat()
    .slice(0, count)
    .map((one) => ({ ...one, ...describe(one) }));
}

type Place = Omit<Mutant, 'place' | 'line'>;

export function mutantsOf(area: string): Place[] {
  return compiled(AREAS[area].sources)
    .filter((path) => !NO_RULES.test(path))
    .flatMap((path) => mutationsOf(path, read(path)).map((one) => ({ ...one, area, path })));
}

/**
 * Returns the specs of an area, without system or proof specs: first those in a source file's own folder, slow specs
 * last.
 */
export function specsOf(area: string, path: string): string[] {
  const cost = (spec: string) =>
    Number(dirname(spec) !== dirname(path)) + 2 * Number(spec.includes('.slow.'));
  return compiled(AREAS[area].specs)
    .filter((spec) => /(?<!\.(system|proof))\.spec\.js$/.test(spec))
    .toSorted((a, b) => cost(a) - cost(b));
}

const compiled = (shape: RegExp) =>
  readdirSync(DIST, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.js') && shape.test(path))
    .toSorted()
    .map((path) => join(DIST, path));

const read = (path: string) => readFileSync(path, 'utf8');

/** Returns all mutations in a random order, with at most one at each place. */
function draw(random: Random, all: Place[]): Place[] {
  const keyed = all.map((one) => ({ one, key: random.next() })).toSorted((a, b) => a.key - b.key);
  const places = new Set<string>();
  return keyed
    .map(({ one }) => one)
    .filter(({ path, start }) => places.size < places.add(`${path} ${start}`).size);
}

function describe({ path, start, end, replacement }: Place): Pick<Mutant, 'place' | 'line'> {
  const text = read(path);
  const [from, to] = [text.slice(start, end), replacement].map(
    (part) => part.replaceAll(/\s+/g, ' ').slice(0, SHOWN_MAX) || 'nothing',
  );
  const line = text.slice(0, start).split('\n').length;
  return {
    place: `${relative(DIST, path)}:${line}  ${from} → ${to}`,
    line: lineAt(text, start),
  };
}
