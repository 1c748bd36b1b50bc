import type { Operation } from '#libs/contracts';
import type { Clock, Logger, ServiceTokens } from '#libs/platform';
import type { DashboardConfig } from './dashboard.config.js';
import type { DashboardSettings } from './dashboard-settings.js';
import type { Mailbox } from './mailbox/mailbox.js';
import type { DashboardMetrics } from './telemetry/dashboard-metrics.js';

/** The parts of the dashboard's origin. */
export interface PublicListenerOptions {
  config: DashboardConfig;
  clock: Clock;
  logger: Logger;
  tokens: ServiceTokens;
  metrics: DashboardMetrics;
  /** Mail that is stored instead of sent, for the mailbox page. */
  mailbox?: Mailbox;
  /** Terms, privacy and contact. */
  texts: DashboardSettings['texts'];
  /** The operations whose rows with a session or a signature are routed; by default, the table of operations. */
  operations?: readonly Operation[];
}
