import { type Migration, type SchemaService, migrate } from '#libs/database';
import { migrations as account } from '../../apps/account/src/migrations/index.js';
import { migrations as billing } from '../../apps/billing/src/migrations/index.js';
import { migrations as entitlement } from '../../apps/entitlement/src/migrations/index.js';
import { migrations as gateway } from '../../apps/gateway/src/migrations/index.js';

const all: Record<SchemaService, Migration[]> = { account, billing, entitlement, gateway };

/** Migrates every service's schema; `ownerUrl` gives the URL of a service's owner role. */
export async function migrateAll(ownerUrl: (service: SchemaService) => string): Promise<void> {
  for (const [service, migrations] of Object.entries(all)) {
    await migrate(ownerUrl(service as SchemaService), migrations);
  }
}
