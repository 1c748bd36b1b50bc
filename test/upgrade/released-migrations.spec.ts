import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { Migration } from '#libs/database';
import { SERVICES } from '../../apps/services.js';
import {
  RELEASED_MIGRATIONS_FILE,
  type ReleasedMigrations,
  migrationFaults,
  releasedMigrationsOf,
} from './released-migrations.js';
import { ReleaseHistory, releasedVersions } from './releases.js';

const read = (text: string) => JSON.parse(text) as ReleasedMigrations;
const listed = read(readFileSync(RELEASED_MIGRATIONS_FILE, 'utf8'));

describe('migrations since the last release', () => {
  it('do not change its applied migrations, or anything that its services read and write', () => {
    expect(migrationFaults(SERVICES, listed)).toEqual([]);
  });

  const history = new ReleaseHistory();
  (history.missing() === undefined ? it : it.skip)(
    'the list is unchanged since the release',
    () => {
      const { version, commit } = history.lastRelease() as { version: string; commit: string };
      const left = read(history.fileOf(commit, RELEASED_MIGRATIONS_FILE) as string);
      const [newest] = releasedVersions(readFileSync('CHANGELOG.md', 'utf8'));
      if (newest === version) expect(listed).toEqual(left);
      else expect(listed).toMatchObject(left);
    },
  );
});

describe('a migration after a release', () => {
  const orders: Migration = { name: '0001-orders', sql: 'create table orders (id uuid, day date)' };
  const next = (sql: string): Migration => ({ name: '0002-next', sql });
  const billing = (...migrations: Migration[]) => [{ name: 'billing', migrations }];
  const released = releasedMigrationsOf(billing(orders));
  const faultsOf = (...migrations: Migration[]) =>
    migrationFaults(billing(...migrations), released);

  it('may add objects that the release does not use', () => {
    const adds = 'alter table orders add column vat bigint; create index i on refunds (id)';
    expect(faultsOf(orders, next(`create table refunds (id uuid); ${adds}`))).toEqual([]);
  });

  it('may not remove objects that the release uses', () => {
    const faults = faultsOf(orders, next('alter table orders drop column day'));
    expect(faults).toEqual([expect.stringMatching(/^billing: 0002-next: .* drops a column/)]);
  });

  it('is new: released migrations are never changed, replaced, removed or preceded', () => {
    const changed = { ...orders, sql: `${orders.sql} -- and why` };
    expect(faultsOf(changed)).toEqual([
      'billing: 0001-orders is released and was changed: undo that and write a new migration',
    ]);
    const instead = expect.stringMatching(
      /^billing: 0001-orders is released, but .* is in its place$/,
    );
    for (const faults of [faultsOf(), faultsOf({ ...orders, name: '0001-buys' })]) {
      expect(faults).toEqual([instead]);
    }
    expect(faultsOf({ name: '0000-first', sql: 'select 1' }, orders)).toEqual([instead]);
    expect(migrationFaults([], released)).toEqual([
      expect.stringMatching(/^billing: the service is gone/),
    ]);
  });
});
