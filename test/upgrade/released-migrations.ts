import { type Migration, checksumOf } from '#libs/database';
import { stepFaults, tablesOf } from './migration-steps.js';

/** Checksums of the released migrations, by service and name. The release command writes the file. */
export type ReleasedMigrations = Record<string, Record<string, string>>;

export const RELEASED_MIGRATIONS_FILE = 'test/upgrade/released-migrations.json';

interface MigratedService {
  name: string;
  migrations?: readonly Migration[];
}

export function releasedMigrationsOf(services: readonly MigratedService[]): ReleasedMigrations {
  const entries = services
    .filter(({ migrations = [] }) => migrations.length > 0)
    .map(({ name, migrations = [] }) => [
      name,
      Object.fromEntries(migrations.map((migration) => [migration.name, checksumOf(migration)])),
    ]);
  return Object.fromEntries(entries);
}

/**
 * Returns the reasons why databases of the last release cannot be migrated while its services run, one per line: a
 * released migration is missing or has changed, another migration precedes it, or a new migration breaks or blocks
 * these services.
 */
export function migrationFaults(
  services: readonly MigratedService[],
  released: ReleasedMigrations,
): string[] {
  const gone = Object.keys(released)
    .filter((name) => !services.some((service) => service.name === name))
    .map((name) => `${name}: the service is gone, and so are its released migrations`);
  return [...gone, ...services.flatMap((service) => faultsOf(service, released))];
}

function faultsOf({ name, migrations = [] }: MigratedService, released: ReleasedMigrations) {
  const checksums = Object.entries(released[name] ?? {});
  const older = migrations.slice(0, checksums.length);
  const changed = checksums.flatMap(([expected, checksum], index) => {
    const found = older.at(index);
    if (found?.name !== expected) {
      return [`${expected} is released, but ${found?.name ?? 'nothing'} is in its place`];
    }
    return checksumOf(found) === checksum
      ? []
      : [`${expected} is released and was changed: undo that and write a new migration`];
  });
  const tables = tablesOf(older);
  const steps = migrations
    .slice(checksums.length)
    .flatMap((migration) => stepFaults(migration, (table) => tables.has(table)));
  return [...changed, ...steps].map((fault) => `${name}: ${fault}`);
}
