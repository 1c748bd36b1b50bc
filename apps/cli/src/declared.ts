import type { Migration, SchemaService } from '#libs/database';
import { AccountConfig } from '../../account/src/account.config.js';
import { migrations as account } from '../../account/src/migrations/index.js';
import { EntitlementConfig } from '../../entitlement/src/entitlement.config.js';
import { migrations as entitlement } from '../../entitlement/src/migrations/index.js';
import { GatewayConfig } from '../../gateway/src/gateway.config.js';
import { migrations as gateway } from '../../gateway/src/migrations/index.js';
import { LookupConfig } from '../../lookup/src/lookup.config.js';
import { SoloConfig } from '../../solo/src/solo.config.js';
import { CliConfig } from './cli.config.js';
import type { DocumentedApp } from './documents/configuration.js';

/** What the apps declare and the commands work on. With `declared-metrics.ts`, the only file that looks into other apps. */
export const MIGRATIONS: Record<SchemaService, Migration[]> = { account, entitlement, gateway };

/** In the order of the documents. */
export const CONFIGURED_APPS: DocumentedApp[] = [
  { name: 'solo', config: SoloConfig },
  { name: 'gateway', config: GatewayConfig },
  { name: 'account', config: AccountConfig },
  { name: 'entitlement', config: EntitlementConfig },
  { name: 'lookup', config: LookupConfig },
  { name: 'cli', config: CliConfig },
];
