import type { Migration } from '#libs/database';

/** Changes that break a service of the last release, which still reads and writes the tables during an upgrade. */
const CONTRACTIONS: readonly [pattern: RegExp, why: string][] = [
  [
    /^drop (table|view|materialized view|schema|type|sequence|function|domain)\b/,
    'removes what it uses',
  ],
  [/^truncate\b/, 'empties what it reads'],
  [/^alter table .*\brename\b/, 'renames what it uses'],
  [/^alter (type|view|sequence|schema|function|index) .*\brename\b/, 'renames what it uses'],
  [
    /^alter table .*\bdrop (?!constraint|default|not null|expression|identity)/,
    'drops a column that it reads',
  ],
  [/^alter table .*\balter (column )?\S+ (set data )?type\b/, 'changes what a column holds'],
  [/^alter table .*\bset not null\b/, 'refuses rows that it writes'],
  [/^alter table .*\bdrop default\b/, 'refuses rows that it writes'],
  [/^alter table .*\bset schema\b/, 'moves what it uses'],
  [/^revoke\b/, 'revokes privileges that it needs'],
  [/^create (or replace )?(constraint )?trigger\b/, 'may refuse rows that it writes'],
];
/** Statements that wait for every writer, or block every writer while they run. */
const LOCKS: readonly [pattern: RegExp, why: string][] = [
  // `on only` is allowed: on a partitioned table, it creates the index without reading rows.
  [
    /^create (unique )?index (?!concurrently)(?!.* on only )/,
    'blocks writers: create it concurrently',
  ],
  [
    /^alter table .*\badd (constraint|check|foreign key)\b(?!.*\bnot valid\b)/,
    'reads every row under a lock: add it not valid',
  ],
  [/^(vacuum full|cluster|lock table)\b/, 'blocks all queries'],
];
const ADDED_COLUMN =
  /\badd (?:column )?(?:if not exists )?(?!constraint|check|foreign|unique|primary)(\S+) ([^,]*)/g;

/**
 * Returns the steps of a migration that break or block a service of the last release, one line each. Tables that are in
 * no release can be changed freely. A migration that declares `contracts` may remove objects that the last release no
 * longer uses; the test that runs that release's services verifies this.
 * @param isReleased whether the last release has a table.
 */
export function stepFaults(
  { name, sql, contracts }: Migration,
  isReleased: (table: string) => boolean,
): string[] {
  return statementsOf(sql).flatMap((statement) => {
    const table = tableOf(statement);
    if (table !== undefined && !isReleased(table)) return [];
    const found = [
      ...(contracts ? [] : CONTRACTIONS.filter(([pattern]) => pattern.test(statement))),
      ...LOCKS.filter(([pattern]) => pattern.test(statement)),
    ].map(([, why]) => why);
    if (!contracts && addsRequiredColumn(statement)) {
      found.push('requires a column that it does not write: give it a default');
    }
    return found.map((why) => `${name}: "${statement.slice(0, 80)}" ${why}`);
  });
}

export function tablesOf(migrations: readonly Pick<Migration, 'sql'>[]): Set<string> {
  return new Set(
    migrations
      .flatMap(({ sql }) => statementsOf(sql))
      .map(
        (statement) =>
          /^create (?:unlogged )?table (?:if not exists )?([\w.]+)/.exec(statement)?.[1],
      )
      .filter((table) => table !== undefined),
  );
}

/** Returns a migration's statements, each in lower case on one line, without comments or text in dollar quotes. */
function statementsOf(sql: string): string[] {
  return sql
    .replaceAll(/--.*$/gm, '')
    .replaceAll(/\/\*[^]*?\*\//g, '')
    .replaceAll(/\$(\w*)\$[^]*?\$\1\$/g, "''")
    .split(';')
    .map((statement) => statement.replaceAll(/\s+/g, ' ').trim().toLowerCase())
    .filter(Boolean);
}

function tableOf(statement: string): string | undefined {
  const table =
    /^(?:alter table|drop table|truncate(?: table)?|lock table) (?:if exists )?(?:only )?([\w.]+)/;
  const on = /^(?:create|revoke) .*? on (?:table )?(?:only )?([\w.]+)/;
  return (table.exec(statement) ?? on.exec(statement))?.[1];
}

function addsRequiredColumn(statement: string): boolean {
  if (!statement.startsWith('alter table')) return false;
  return [...statement.matchAll(ADDED_COLUMN)].some(
    ([, , definition]) =>
      /\bnot null\b/.test(definition) && !/\b(default|generated)\b/.test(definition),
  );
}
