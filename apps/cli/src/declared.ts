import type { Migration, SchemaService } from '#libs/database';
import { migrations as account } from '../../account/src/migrations/index.js';
import { migrations as entitlement } from '../../entitlement/src/migrations/index.js';
import { migrations as gateway } from '../../gateway/src/migrations/index.js';
import { SoloConfig } from '../../solo/src/solo.config.js';
import { CliConfig } from './cli.config.js';
import type { DocumentedApp } from './documents/configuration.js';

/** What the apps declare and the commands work on. The only file here that looks into other apps. */
export const MIGRATIONS: Record<SchemaService, Migration[]> = { account, entitlement, gateway };

/** In the order of the documents. */
export const CONFIGURED_APPS: DocumentedApp[] = [
  { name: 'solo', config: SoloConfig },
  { name: 'cli', config: CliConfig },
];
