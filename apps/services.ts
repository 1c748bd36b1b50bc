import type { AnyService } from '#libs/services';
import { account } from './account/src/service.js';
import { billing } from './billing/src/service.js';
import { corpus } from './corpus/src/service.js';
import { dashboard } from './dashboard/src/service.js';
import { entitlement } from './entitlement/src/service.js';
import { gateway } from './gateway/src/service.js';
import { lookup } from './lookup/src/service.js';
import { worker } from './worker/src/service.js';

/**
 * All services, each after the services that it calls, which is the order in which one process starts them. Solo, the
 * cluster, the operator commands and the documents derive from this list.
 */
export const SERVICES: readonly AnyService[] = [
  account,
  entitlement,
  billing,
  corpus,
  lookup,
  worker,
  gateway,
  dashboard,
];
