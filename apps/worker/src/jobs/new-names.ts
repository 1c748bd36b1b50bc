import type { NameGroup } from '../names/name-groups.js';
import {
  BAD_LINES_SHOWN,
  type BadLine,
  type NamedLine,
  type StoredLine,
  readName,
  storedLine,
} from '../names/read-name.js';

/** Names to look up, with their counts. */
export interface CountedNames {
  lines: number;
  uniqueNames: number;
  invalid: number;
  invalidLines: BadLine[];
  groups: NameGroup[];
  stored: StoredLine[];
}

/** Reads names from a request; a name's line is its index in the list, from 1. */
export function readNames(texts: readonly string[]): CountedNames {
  const read = texts.map((text, place) => readName(text, place + 1));
  const named = read.filter((one): one is NamedLine => 'name' in one);
  const bad = read.filter((one): one is BadLine => 'message' in one);
  const unique = new Map(named.map((one) => [one.name, one]));
  return {
    lines: texts.length,
    uniqueNames: unique.size,
    groups: [...unique.values()].map(({ name, upstream }) => ({
      tld: tldOf(name),
      upstream,
      names: 1,
    })),
    invalid: bad.length,
    invalidLines: bad.slice(0, BAD_LINES_SHOWN),
    stored: read.map((one, place) => storedLine(one, texts[place])),
  };
}

const tldOf = (name: string) => name.slice(name.lastIndexOf('.') + 1);
