import type { Repeats } from '#libs/counters';
import type { Problem } from '#libs/platform';
import type { Exchange } from '../exchange/exchange.js';
import type { KeyEntry } from '../facts/caller.js';
import type { DailyCaps } from '../lease/daily-caps.js';
import type { LeaseClient } from '../lease/lease-client.js';
import type { Lease } from '../lease/lease.js';

/** Step 8a: a question that was charged within 60 seconds is free, unless it asks for a new look. */
export function findRepeat(
  { question, isFresh }: Exchange,
  { account, isTest }: KeyEntry,
  repeats: Repeats,
): boolean | Promise<boolean> {
  return !isFresh && !isTest && repeats.isRepeat(account.counterId, question);
}

/**
 * Step 8b: reserves the price on a lease, for whatever may be charged.
 * @returns undefined when nothing is to be reserved.
 */
export function reserve(
  exchange: Exchange,
  caller: KeyEntry,
  leases: LeaseClient,
  caps: DailyCaps,
): Lease | Problem | undefined | Promise<Lease | Problem> {
  if (caller.isTest || exchange.isRepeat) return undefined;
  const { cost } = exchange.route.operation;
  const capDay = caps.reserve(caller, cost);
  if (typeof capDay !== 'number') return capDay;
  exchange.capDay = capDay;
  exchange.cost = cost;
  return leases.reserve(caller.account.id, cost, exchange.startedMs, exchange);
}
