import type { RepeatWindow } from '#libs/counters';
import { type Problem, runInContext } from '#libs/platform';
import type { RequestContext } from '../context/request-context.js';
import type { KeyEntry } from '../auth-cache/caller.js';
import type { RequestHold } from '../holds/request-hold.js';
import type { RequestHolds } from '../holds/request-holds.js';
import type { DailyCaps } from '../lease/daily-caps.js';
import type { LeaseClient } from '../lease/lease-client.js';
import type { Lease } from '../lease/lease.js';

/**
 * Step 7a: decides whether the request is a free repeat: a GET with a live key that was charged within the last 60
 * seconds and does not request fresh data. A request about several items is never free: it is charged for its results,
 * and might now return more of them.
 */
export function findRepeat(
  { question, isFresh, price, eachPrice, route }: RequestContext,
  { account, isTest }: KeyEntry,
  repeatWindow: RepeatWindow,
): boolean | Promise<boolean> {
  const mayRepeat = price > 0 && price === eachPrice && route.operation.method === 'GET';
  return mayRepeat && !isFresh && !isTest && repeatWindow.isRepeat(account, question);
}

export interface Reserves {
  leases: LeaseClient;
  holds: RequestHolds;
  caps: DailyCaps;
}

/**
 * Step 7b: reserves the price on a lease or, for an answer about several items, with a separate hold, because some
 * items may not be sent.
 * @returns undefined if nothing has to be reserved.
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
    const held = {
      requestId,
      accountId: account.id,
      keyId,
      operation: operation.name,
      version,
      subject,
      amount: cost,
    };
    const ids = { requestId, traceparent: context.span?.traceparent };
    return runInContext(ids, () => holds.reserve(held));
  }
  return leases.reserve(account.id, cost, context.startedMs, context);
}
