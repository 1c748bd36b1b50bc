import type { EntitlementClient, Operation } from '#libs/contracts';
import type { AccountExports } from '#libs/database';
import type { Clock, Logger, ServiceTokens } from '#libs/platform';
import type { OwnOperations } from '../owners/own-operations.js';
import type { ProblemBodies } from '../problems/problem-body.js';
import type { UsageService } from '../usage/usage.service.js';
import type { Mailbox } from './mailbox/mailbox.js';
import type { OwnerUrls } from './proxy/service-proxies.js';

/** What the dashboard's listener is started with. */
export interface DashboardOptions {
  /** `BILLING_URL`: the one origin whose browsers are believed. */
  publicUrl: string;
  /** `BASE_URL`, for the curl lines that pages show. */
  apiUrl: string;
  host: string;
  /** 0 asks the system for a free port. */
  port: number;
  /** Other gateways of this machine listen on the port, too. */
  reusePort?: boolean;
  /** Internal listeners of the services whose calls pass here; account's is needed. */
  owners: OwnerUrls;
  /** Rows with a session or a signature are routed. */
  operations?: readonly Operation[];
  entitlement: EntitlementClient;
  /** How the gateway answers what it owns itself. */
  own: OwnOperations;
  /** What the gateway itself holds of an account. */
  exports: AccountExports;
  /** Reads the request log. */
  usage: Pick<UsageService, 'usage'>;
  tokens: ServiceTokens;
  /** Gives refusals their public form, as on the API. */
  bodies: ProblemBodies;
  /** Addresses or CIDR blocks whose `X-Forwarded-For` is believed (S96); none by default. */
  trustedProxies?: string[];
  /** Connections at most, so that idle ones cannot take the API's share of the process; 2,000 by default. */
  connectionsMax?: number;
  /** The local mailbox that `/mailbox` shows; only where mail is not really sent. */
  mailbox?: Mailbox;
  /** Lookups go to the registry simulator, and every page says so. */
  isDataSimulated?: boolean;
  clock: Clock;
  logger: Logger;
}
