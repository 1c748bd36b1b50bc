import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Database } from '#libs/database';
import { TestDatabase } from '#test/environment';
import { FailedEvent } from '#libs/messaging';
import { ENTITIES as ACCOUNT } from '../apps/account/src/start.js';
import { ENTITIES as BILLING } from '../apps/billing/src/start.js';
import { ENTITIES as ENTITLEMENT } from '../apps/entitlement/src/entitlement.module.js';

/** Entities by the schema of their tables. The tables for events are the same in every schema. */
const SERVICES = [
  ['account', ACCOUNT],
  ['billing', BILLING],
  ['entitlement', ENTITLEMENT],
  ['gateway', [FailedEvent]],
] as const;

describe('entities', () => {
  let test: TestDatabase;

  beforeAll(async () => {
    test = await TestDatabase.create();
  });
  afterAll(() => test.drop());

  it.each(SERVICES)(
    'the entities of %s match the columns of the migrations in type and nullability',
    async (service, entities) => {
      const database = await Database.open({
        url: test.url(service),
        applicationName: 'entities',
        entities: [...entities],
      });
      const columns = await database.query<{ table: string; column: string }>(
        `select c.relname || '.' || a.attname as column, format_type(a.atttypid, null) as type,
                not a.attnotnull as nullable,
                coalesce(a.attnum = any(i.indkey), false) as key
         from pg_attribute a join pg_class c on c.oid = a.attrelid
           left join pg_index i on i.indrelid = c.oid and i.indisprimary
         where c.relnamespace = current_schema()::regnamespace and a.attnum > 0
           and not a.attisdropped and c.relname = any($1)
         order by 1`,
        [database.dataSource.entityMetadatas.map(({ tableName }) => tableName)],
      );
      const declared = database.dataSource.entityMetadatas.flatMap(({ tableName, columns: own }) =>
        own.map((column) => ({
          column: `${tableName}.${column.databaseName}`,
          type: `${postgresType(database.dataSource.driver.normalizeType(column))}${column.isArray ? '[]' : ''}`,
          nullable: column.isNullable,
          key: column.isPrimary,
        })),
      );
      await database.close();
      expect(declared.length).toBeGreaterThan(0);
      expect(declared.toSorted((a, b) => (a.column < b.column ? -1 : 1))).toEqual(
        columns.toSorted((a, b) => (a.column < b.column ? -1 : 1)),
      );
    },
  );
});

function postgresType(type: string): string {
  return type === 'timestamptz' ? 'timestamp with time zone' : type;
}
