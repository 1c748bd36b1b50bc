import { nextTurn } from '#libs/platform';
import type { NameGroup } from '../names/name-groups.js';
import {
  BAD_LINES_SHOWN,
  type BadLine,
  type NamedLine,
  type StoredLine,
  readName,
  storedLine,
} from '../names/read-name.js';

export interface CountedNames {
  lines: number;
  uniqueNames: number;
  invalid: number;
  invalidLines: BadLine[];
  groups: NameGroup[];
  stored: StoredLine[];
}

/** The number of names read per turn. A long internationalized name takes 0.1 ms. */
const TURN_NAMES = 5;

/** Per account, a promise that resolves once its newest list has been read. */
const lists = new Map<string, Promise<void>>();

/**
 * Reads the names in a request; a name's line is its index in the list, from 1. Other requests are answered in between,
 * because reading a thousand names may take 0.1 s. The lists of one account are read one after another, so that
 * accounts get equal shares, however many requests each of them sends.
 */
export async function readNames(
  accountId: string,
  texts: readonly string[],
): Promise<CountedNames> {
  const before = lists.get(accountId);
  const { promise: end, resolve } = Promise.withResolvers<void>();
  lists.set(accountId, end);
  await before;
  try {
    return await readList(texts);
  } finally {
    resolve();
    if (lists.get(accountId) === end) lists.delete(accountId);
  }
}

async function readList(texts: readonly string[]): Promise<CountedNames> {
  const read: (NamedLine | BadLine)[] = [];
  for (const text of texts) {
    if (read.length % TURN_NAMES === 0) await nextTurn();
    read.push(readName(text, read.length + 1));
  }
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
