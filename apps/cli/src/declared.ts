import type { Migration, SchemaService } from '#libs/database';
import { type EventReaders, EventsConfig } from '#libs/messaging';
import { AccountConfig } from '../../account/src/account.config.js';
import { migrations as account } from '../../account/src/migrations/index.js';
import { BillingConfig } from '../../billing/src/billing.config.js';
import { ClusterConfig } from '../../cluster/src/cluster.config.js';
import { EntitlementConfig } from '../../entitlement/src/entitlement.config.js';
import { migrations as billing } from '../../billing/src/migrations/index.js';
import { migrations as entitlement } from '../../entitlement/src/migrations/index.js';
import { GatewayConfig } from '../../gateway/src/gateway.config.js';
import { migrations as gateway } from '../../gateway/src/migrations/index.js';
import { LookupConfig } from '../../lookup/src/lookup.config.js';
import { SimulatorsConfig } from '../../simulators/src/simulators.config.js';
import { SoloConfig } from '../../solo/src/solo.config.js';
import { TelemetryConfig } from '#libs/platform';
import { CliConfig } from './cli.config.js';
import type { DocumentedApp } from './documents/configuration.js';

/**
 * What the apps declare and the commands work on. With `declared-metrics.ts`, the only file that looks into
 * other apps.
 */
export const MIGRATIONS: Record<SchemaService, Migration[]> = {
  account,
  billing,
  entitlement,
  gateway,
};

/** Whose events each service consumes or watches: for the access rules of the topics. */
export const EVENT_READERS: EventReaders = {
  account: [],
  billing: [],
  entitlement: ['account', 'billing'],
  gateway: ['account', 'entitlement'],
};

/** In the order of the documents. */
export const CONFIGURED_APPS: DocumentedApp[] = [
  { name: 'solo', config: SoloConfig },
  { name: 'gateway', config: GatewayConfig },
  { name: 'account', config: AccountConfig },
  { name: 'billing', config: BillingConfig },
  { name: 'entitlement', config: EntitlementConfig },
  { name: 'lookup', config: LookupConfig },
  ...['solo', 'gateway', 'account', 'billing', 'entitlement', 'lookup'].map((name) => ({
    name,
    config: TelemetryConfig,
  })),
  { name: 'cli', config: CliConfig },
  { name: 'cluster', config: ClusterConfig },
  { name: 'simulators', config: SimulatorsConfig },
  ...['gateway', 'account', 'billing', 'entitlement', 'cli'].map((name) => ({
    name,
    config: EventsConfig,
  })),
];
