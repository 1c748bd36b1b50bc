import type { AnyService } from '#libs/services';
import { account } from './account/src/service.js';
import { billing } from './billing/src/service.js';
import { entitlement } from './entitlement/src/service.js';
import { gateway } from './gateway/src/service.js';
import { lookup } from './lookup/src/service.js';

/**
 * Every service of the product, whoever is asked before whoever asks: the order in which one process starts
 * them. What solo, cluster, the operator's commands and the documents know of services comes from here.
 */
export const SERVICES: readonly AnyService[] = [account, entitlement, billing, lookup, gateway];
