import type { RepeatWindow } from '#libs/counters';
import type { Problem } from '#libs/platform';
import type { RequestContext } from '../context/request-context.js';
import type { KeyEntry } from '../auth-cache/caller.js';
import type { DailyCaps } from '../lease/daily-caps.js';
import type { LeaseClient } from '../lease/lease-client.js';
import type { Lease } from '../lease/lease.js';

/** Step 7a: a question that was charged within 60 seconds is free, unless it asks for a new look. */
export function findRepeat(
  { question, isFresh, price, route }: RequestContext,
  { account, isTest }: KeyEntry,
  repeatWindow: RepeatWindow,
): boolean | Promise<boolean> {
  const mayRepeat = price > 0 && route.operation.method === 'GET';
  return mayRepeat && !isFresh && !isTest && repeatWindow.isRepeat(account.counterId, question);
}

/**
 * Step 7b: reserves the price on a lease, for whatever may be charged.
 * @returns undefined when nothing is to be reserved.
 */
export function reserve(
  context: RequestContext,
  caller: KeyEntry,
  leases: LeaseClient,
  caps: DailyCaps,
): Lease | Problem | undefined | Promise<Lease | Problem> {
  const { price: cost } = context;
  if (cost === 0 || caller.isTest || context.isRepeat) return undefined;
  const capDay = caps.reserve(caller, cost);
  if (typeof capDay !== 'number') return capDay;
  context.capDay = capDay;
  context.cost = cost;
  return leases.reserve(caller.account.id, cost, context.startedMs, context);
}
