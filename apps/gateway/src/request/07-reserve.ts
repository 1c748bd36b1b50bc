import type { RepeatWindow } from '#libs/counters';
import type { Problem } from '#libs/platform';
import type { RequestContext } from '../context/request-context.js';
import type { KeyEntry } from '../auth-cache/caller.js';
import type { RequestHold } from '../holds/request-hold.js';
import type { RequestHolds } from '../holds/request-holds.js';
import type { DailyCaps } from '../lease/daily-caps.js';
import type { LeaseClient } from '../lease/lease-client.js';
import type { Lease } from '../lease/lease.js';

/**
 * Step 7a: a question that was charged within 60 seconds is free, unless it asks for a new look. One about several
 * things is charged each time: it was charged for what it brought, and might bring more now.
 */
export function findRepeat(
  { question, isFresh, price, eachPrice, route }: RequestContext,
  { account, isTest }: KeyEntry,
  repeatWindow: RepeatWindow,
): boolean | Promise<boolean> {
  const mayRepeat = price > 0 && price === eachPrice && route.operation.method === 'GET';
  return mayRepeat && !isFresh && !isTest && repeatWindow.isRepeat(account.counterId, question);
}

/** Leases, holds and caps, on which credits are reserved. */
export interface Reserves {
  leases: LeaseClient;
  holds: RequestHolds;
  caps: DailyCaps;
}

/**
 * Step 7b: reserves the price for whatever may be charged: on a lease, or by a hold of its own for an answer about
 * several things, of which some may be sent and others not.
 * @returns undefined when nothing is to be reserved.
 */
export function reserve(
  context: RequestContext,
  caller: KeyEntry,
  { leases, holds, caps }: Reserves,
): Lease | Problem | undefined | Promise<Lease | RequestHold | Problem> {
  const { price: cost, eachPrice, requestId, subject } = context;
  if (cost === 0 || caller.isTest || context.isRepeat) return undefined;
  const capDay = caps.reserve(caller, cost);
  if (typeof capDay !== 'number') return capDay;
  context.capDay = capDay;
  context.cost = cost;
  const { operation, version } = context.route;
  const { keyId, account } = caller;
  if (operation.price.per === 'item' && cost > eachPrice) {
    return holds.reserve({
      requestId,
      accountId: account.id,
      keyId,
      operation: operation.name,
      version,
      subject,
      amount: cost,
    });
  }
  return leases.reserve(account.id, cost, context.startedMs, context);
}
