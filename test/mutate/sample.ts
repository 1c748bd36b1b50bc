import type { Random } from '../random.js';
import { AREAS, type Area } from './areas.js';
import { whyEqual } from './equal.js';
import { compiledBelow, readCompiled, sourcePlace } from './compiled.js';
import { type Mutation, mutationsOf } from './mutations.js';

/** A mutation of the product, with its description. */
export interface Mutant {
  area: Area;
  /** Within `dist`. */
  path: string;
  mutation: Mutation;
  /** `path:line` of the source. */
  place: string;
  /** The compiled line, without its indentation. */
  line: string;
  change: string;
  /** The reason if it has no visible effect. */
  equal?: string;
}

/** The weights of the kinds: the kinds that are hardest to get right and to test are drawn more often. */
const WEIGHTS: Record<Mutation['kind'], number> = {
  sql: 3,
  condition: 2,
  arithmetic: 2,
  call: 1,
  literal: 1,
};
const SHOWN_MAX = 60;

/** Draws `count` mutations, divided among the areas in turn; the same for the same seed and code. */
export function sample(random: Random, count: number, areas: readonly Area[] = AREAS): Mutant[] {
  const share = Math.ceil(count / areas.length);
  const drawn = areas.map((area) =>
    draw(random.for(area.name), allOf(area), share).map((one) => describe(area, one)),
  );
  return Array.from({ length: share }, (_, at) => drawn.flatMap((own) => own.slice(at, at + 1)))
    .flat()
    .slice(0, count);
}

type Place = Pick<Mutant, 'path' | 'mutation'>;

function allOf({ sources, without }: Area): Place[] {
  return compiledBelow(sources, without).flatMap((path) =>
    mutationsOf(path, readCompiled(path)).map((mutation) => ({ path, mutation })),
  );
}

/** Draws by weight, without repeats and with at most one mutation at each place. */
function draw(random: Random, all: Place[], count: number): Place[] {
  const drawn: Place[] = [];
  let left = all;
  while (drawn.length < count && left.length > 0) {
    const total = left.reduce((sum, { mutation }) => sum + WEIGHTS[mutation.kind], 0);
    let at = random.next() * total;
    const found = left.find(({ mutation }) => (at -= WEIGHTS[mutation.kind]) < 0) ?? left[0];
    drawn.push(found);
    left = left.filter((one) => !isSamePlace(one, found));
  }
  return drawn;
}

function isSamePlace(one: Place, other: Place): boolean {
  return one.path === other.path && one.mutation.start === other.mutation.start;
}

function describe(area: Area, { path, mutation }: Place): Mutant {
  const text = readCompiled(path);
  const { start, end, replacement } = mutation;
  const from = text.lastIndexOf('\n', start - 1) + 1;
  const to = text.indexOf('\n', start);
  const line = text.slice(from, to < 0 ? undefined : to).trim();
  const change = `${shown(text.slice(start, end))} → ${shown(replacement)}`;
  const equal = whyEqual({ path, line, change });
  return { area, path, mutation, place: sourcePlace(path, start), line, change, equal };
}

function shown(text: string): string {
  const flat = text.replaceAll(/\s+/g, ' ').trim();
  if (flat === '') return 'nothing';
  return flat.length > SHOWN_MAX ? `${flat.slice(0, SHOWN_MAX)}…` : flat;
}
