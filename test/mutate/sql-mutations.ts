/** A small change of an SQL text, with offsets in it. */
export interface SqlMutation {
  start: number;
  end: number;
  replacement: string;
}

/** The text to find, and its replacement. */
const CHANGES: readonly [found: RegExp, replacement: string][] = [
  [/\s+skip locked\b/g, ''],
  [/\s+for update\b(?: of \w+)?(?! skip)/g, ''],
  [/\bgreatest(?=\()/g, 'least'],
  [/\bleast(?=\()/g, 'greatest'],
  [/\bmax(?=\()/g, 'min'],
  [/\bmin(?=\()/g, 'max'],
  [/(?<=\s)<=(?=\s)/g, '<'],
  [/(?<=\s)<(?=\s)/g, '<='],
  [/(?<=\s)>=(?=\s)/g, '>'],
  [/(?<=\s)>(?=\s)/g, '>='],
  [/(?<=\s)<>(?=\s)/g, '='],
  [/(?<=\s)\+(?=\s)/g, '-'],
  [/(?<=\s)-(?=\s)/g, '+'],
  [/\band\b(?! materialized)/g, 'or'],
  [/\bor\b/g, 'and'],
  [/\bis not null\b/g, 'is null'],
  [/\bis null\b/g, 'is not null'],
  [/\bnot exists\b/g, 'exists'],
  [/(?<!not )\bexists(?=\s*\()/g, 'not exists'],
  [/\s+on conflict do nothing\b/g, ''],
  [/\bdistinct\s+/g, ''],
  [/\s+desc\b/g, ''],
  [/\border by [\w.]+(?:, [\w.]+)*(?: desc)?/g, ''],
  [/\s+limit (?:\$\d+|\d+)/g, ''],
  // Drops one of several conditions if it has no parameter or its parameter is used elsewhere.
  [/\s+and [\w.]+ (?:=|<|>|<=|>=|<>) (?:'\w+'|[a-z_][\w.]*)(?=[\s)`'])/g, ''],
];

const STATEMENT = /\b(select|insert into|update|delete from)\b/;

/** Whether a string or template of the code is SQL, or a part of it. */
export function isSql(text: string): boolean {
  return STATEMENT.test(text) && /\b(from|set|values|where|returning|select)\b/.test(text);
}

/** Every change of an SQL text, in the order of the text. */
export function sqlMutations(text: string): SqlMutation[] {
  return CHANGES.flatMap(([found, replacement]) =>
    [...text.matchAll(found)].map((match) => ({
      start: match.index,
      end: match.index + match[0].length,
      replacement,
    })),
  ).toSorted((a, b) => a.start - b.start || a.end - b.end);
}
