import type { Operation } from '#libs/contracts';
import type { Clock, Logger, ServiceTokens } from '#libs/platform';
import type { DashboardConfig } from './dashboard.config.js';
import type { DashboardSettings } from './dashboard-settings.js';
import type { Mailbox } from './mailbox/mailbox.js';
import type { DashboardMetrics } from './telemetry/dashboard-metrics.js';

export interface PublicListenerOptions {
  config: DashboardConfig;
  clock: Clock;
  logger: Logger;
  tokens: ServiceTokens;
  metrics: DashboardMetrics;
  mailbox?: Mailbox;
  texts: DashboardSettings['texts'];
  /**
   * The table of operations; the dashboard serves those of its own listener. By default, the product's
   * table.
   */
  operations?: readonly Operation[];
}
