import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type SchemaPlan,
  ExtensionMissing,
  checkServer,
  migrate,
  ownerRole,
  provisionSchemas,
  rolesOf,
  withClient,
} from '#libs/database';
import { TestDatabase } from '#test/environment';

/** A contrib module of PostgreSQL that no service uses. */
const EXTENSION = 'fuzzystrmatch';
const PLAN: SchemaPlan = { name: 'gateway', extensions: [EXTENSION] };

describe('extensions of a service', () => {
  let test: TestDatabase;

  beforeAll(async () => {
    test = await TestDatabase.create('template0');
    await provisionSchemas(test.url(), [{ name: 'account' }, PLAN]);
  });
  afterAll(() => test.drop());

  /** Returns a URL whose connections use the provisioned search path. */
  const urlOf = (role: string) => {
    const url = new URL(test.url(role));
    url.searchParams.delete('options');
    return url.toString();
  };
  const query = (url: string, sql: string) =>
    withClient(url, async (client) => (await client.query<Record<string, unknown>>(sql)).rows);
  const distance = `select levenshtein('domain', 'domains') as distance`;

  it("every role of the service finds its extensions, and the service's tables stay in its own schema", async () => {
    for (const role of rolesOf('gateway')) {
      expect(await query(urlOf(role), distance)).toEqual([{ distance: 1 }]);
      const [schema] = await query(urlOf(role), 'select current_schema() as schema');
      expect(schema).toEqual({ schema: 'gateway' });
    }
  });

  it('roles of a service without extensions do not find them', async () => {
    await expect(query(urlOf('account'), distance)).rejects.toThrow('does not exist');
    const named = distance.replace('levenshtein', 'extensions.levenshtein');
    await expect(query(urlOf('account'), named)).rejects.toThrow('permission denied');
  });

  it('S114: no role of the service can create an extension, or an object beside one', async () => {
    for (const role of rolesOf('gateway')) {
      for (const sql of ['create extension citext', 'create table extensions.mine (a int)']) {
        await expect(query(urlOf(role), sql)).rejects.toThrow('permission denied');
      }
    }
  });

  it('repeated provisioning leaves the extensions unchanged, even if several runs overlap', async () => {
    const repeat = () => provisionSchemas(test.url(), [PLAN]);
    await Promise.all([repeat(), repeat()]);
    expect(await query(urlOf('gateway'), distance)).toEqual([{ distance: 1 }]);
  });

  it('an extension that the server lacks is named, before anything is changed', async () => {
    const plans: SchemaPlan[] = [
      { name: 'billing', extensions: ['citext', 'no_such'] },
      { name: 'lookup', extensions: ['no_such'] },
    ];
    const refused = expect(provisionSchemas(test.url(), plans)).rejects;
    await refused.toThrow(ExtensionMissing);
    await refused.toThrow(
      'the PostgreSQL extension no_such (for billing, lookup) is not on this server: install',
    );
    const made = `select from pg_namespace where nspname in ('billing', 'lookup')
                  union all select from pg_extension where extname = 'citext'`;
    expect(await query(test.url(), made)).toEqual([]);
  });

  it('a server is checked before it is provisioned: its version, the role and missing extensions', async () => {
    expect(await checkServer(test.url(), [PLAN])).toMatch(/^PostgreSQL \d+/);
    const lacking: SchemaPlan = { name: 'lookup', extensions: ['no_such'] };
    await expect(checkServer(test.url(), [lacking])).rejects.toThrow(ExtensionMissing);
    await expect(checkServer(urlOf('gateway'), [PLAN])).rejects.toThrow(
      'the role gateway may not create roles: name a superuser',
    );
  });

  it('an extension in a schema that services do not search is rejected with the statement that moves it', async () => {
    await query(test.url(), 'create extension citext schema public');
    const plan: SchemaPlan = { name: 'gateway', extensions: ['citext'] };
    await expect(provisionSchemas(test.url(), [plan])).rejects.toThrow(
      'is in the schema public, which services do not search: alter extension "citext" set schema extensions',
    );
    await query(test.url(), 'alter extension "citext" set schema extensions');
    await provisionSchemas(test.url(), [plan]);
    expect(await query(urlOf('gateway'), `select 'A'::citext = 'a' as same`)).toEqual([
      { same: true },
    ]);
  });

  it('a migration without its extension changes nothing, and its error names the command to run', async () => {
    const url = urlOf(ownerRole('gateway'));
    const step = { name: '0001-names', sql: 'create table names (a text)' };
    await expect(migrate(url, [step], ['ltree'])).rejects.toThrow(
      'does not have the PostgreSQL extension ltree: provision it first',
    );
    expect(await migrate(url, [step], [EXTENSION])).toEqual(['0001-names']);
  });
});
