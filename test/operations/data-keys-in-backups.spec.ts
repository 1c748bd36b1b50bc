import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { withClient } from '#libs/database';
import { TestDatabase } from '#test/environment';

const PAGE = new URL('../../../docs/operations/backup-and-restore.md', import.meta.url);

let database: TestDatabase;

beforeAll(async () => {
  database = await TestDatabase.create();
});
afterAll(() => database.drop());

it('S119: the documented backup has the data keys of all services in a separate file, of which only the newest is kept', async () => {
  const tables = await withClient(database.url(), async (client) => {
    const { rows } = await client.query<{ name: string; isKept: boolean }>(
      `select relname as name, bool_or(attname = 'wrapped_key') as "isKept"
       from pg_attribute join pg_class c on c.oid = attrelid where relkind in ('r', 'p') group by c.oid, relname`,
    );
    return rows;
  });
  const page = readFileSync(PAGE, 'utf8');
  const [, left] = /^pg_dump --format=custom --exclude-table-data='\*\.\*(\w+)' --file/m.exec(
    page,
  )!;
  const [, kept] = /^pg_dump --format=custom --data-only --table='\*\.\*(\w+)' --file/m.exec(page)!;
  const keys = tables.filter(({ isKept }) => isKept).map(({ name }) => name);
  expect(keys.toSorted()).toEqual(['data_keys', 'invoice_data_keys']);
  expect(tables.map(({ name }) => name).filter((name) => name.endsWith(left))).toEqual(
    expect.arrayContaining(keys),
  );
  expect([kept, tables.filter(({ name }) => name.endsWith(left)).length]).toEqual([
    left,
    keys.length,
  ]);
});
