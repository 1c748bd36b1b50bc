import { type SchemaService, migrate } from '#libs/database';
import { SERVICES } from '../../apps/services.js';

/** Migrates every service's schema; `ownerUrl` gives the URL of a service's owner role. */
export async function migrateAll(ownerUrl: (service: SchemaService) => string): Promise<void> {
  for (const { name, migrations } of SERVICES) {
    if (migrations) await migrate(ownerUrl(name), migrations);
  }
}
