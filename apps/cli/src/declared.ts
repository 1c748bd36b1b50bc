import { EventsConfig } from '#libs/messaging';
import { configsOf, ownDatabasesConfig, schemaServices } from '#libs/services';
import { ClusterConfig } from '../../cluster/src/cluster.config.js';
import { SERVICES } from '../../services.js';
import { SimulatorsConfig } from '../../simulators/src/simulators.config.js';
import { SoloConfig } from '../../solo/src/solo.config.js';
import { TelemetryConfig } from '#libs/platform';
import { ServersConfig, databasesConfig } from './servers.config.js';
import type { DocumentedApp } from './documents/configuration.js';

/** Loads billing's calls to the processors, for `sandbox`. */
export const processors = async () => ({
  ...(await import('../../billing/src/processors/stripe/stripe-processor.js')),
  ...(await import('../../billing/src/processors/paypal/paypal-processor.js')),
  ...(await import('../../billing/src/processors/call-rate.js')),
});
export type {
  CallResult,
  PaymentProcessor,
} from '../../billing/src/processors/payment-processor.js';

/** Declarations of other apps that the commands need. No other file of the commands imports from apps. */
export { SERVICES };

export const DatabasesConfig = databasesConfig(schemaServices(SERVICES));

export const OwnDatabasesConfig = ownDatabasesConfig(SERVICES);

export type Databases = InstanceType<typeof DatabasesConfig>;

/** The config classes that are documented, each with the app that reads it, in the order of the documents. */
export const CONFIGURED_APPS: DocumentedApp[] = [
  { name: 'solo', config: SoloConfig },
  { name: 'solo', config: OwnDatabasesConfig },
  { name: 'solo', config: TelemetryConfig },
  ...SERVICES.toReversed().flatMap((service) =>
    configsOf(service).map((config) => ({ name: service.name, config })),
  ),
  { name: 'cli', config: ServersConfig },
  { name: 'cli', config: OwnDatabasesConfig },
  { name: 'cli', config: DatabasesConfig },
  { name: 'cli', config: EventsConfig },
  { name: 'cluster', config: ClusterConfig },
  { name: 'simulators', config: SimulatorsConfig },
];
