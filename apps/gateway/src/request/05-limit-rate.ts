import type { BlockList } from 'node:net';
import { PUBLIC_LIMIT } from '#libs/contracts';
import type { CounterId, RateLimiter, RateLimitResult } from '#libs/counters';
import { type Problem, SITE_FACTOR, networkOf, siteOf } from '#libs/platform';
import { clientAddress } from '../context/client-address.js';
import type { RequestContext } from '../context/request-context.js';
import type { KeyEntry } from '../auth-cache/caller.js';
import type { ClassConcurrency } from '../rate-limits/class-concurrency.js';
import { isOurOutage } from '../rate-limits/our-outages.js';
import { PUBLIC_RATE_KEY, addressCounterId, rateKey } from '../rate-limits/rate-key.js';
import { ClassBusy, RateLimited } from '../rate-limits/rate-limits.errors.js';

/**
 * The rejections by class and limit. Each is reused, because a flood gets hardly any other answers.
 */
const rateLimited = new Map<string, RateLimited>();
const REFUSALS_MAX = 1_000;

/** Step 5a: counts the request towards the account's limit per minute, which all its keys share (S99). */
export function countRequest(
  { route }: RequestContext,
  { account, isTest }: KeyEntry,
  rateLimiter: RateLimiter,
): RateLimitResult | Promise<RateLimitResult> {
  const rateClass = route.rateClass!;
  return rateLimiter.take(account, rateKey(rateClass, isTest), account.limits[rateClass]);
}

/**
 * Step 5a of an operation without a key: counts the request towards the limits per minute of its network and its site.
 * The site comes first, so that it cannot fill the table of counters with its 65,536 networks.
 */
export function countAddress(
  { request, carried }: Pick<RequestContext, 'request' | 'carried'>,
  trustedProxies: BlockList,
  rateLimiter: RateLimiter,
): RateLimitResult | Promise<RateLimitResult> {
  if (carried?.rate) return carried.rate;
  const [network, site] = groupsOf(request, trustedProxies);
  const countNetwork = () => rateLimiter.take(network, PUBLIC_RATE_KEY, PUBLIC_LIMIT);
  return site ? countSite(site, countNetwork, rateLimiter) : countNetwork();
}

async function countSite(
  site: CounterId,
  countNetwork: () => RateLimitResult | Promise<RateLimitResult>,
  rateLimiter: RateLimiter,
): Promise<RateLimitResult> {
  const ofSite = await rateLimiter.take(site, PUBLIC_RATE_KEY, PUBLIC_LIMIT * SITE_FACTOR);
  if (!ofSite.allowed) return ofSite;
  const ofNetwork = await countNetwork();
  // One network cannot use up the limit of its neighbours.
  if (!ofNetwork.allowed) rateLimiter.giveBack(site, PUBLIC_RATE_KEY);
  return ofNetwork;
}

/** Returns the counter ids of the client's network and, if it is larger, of its site. */
function groupsOf(
  request: RequestContext['request'],
  trustedProxies: BlockList,
): [network: CounterId] | [network: CounterId, site: CounterId] {
  const address = clientAddress(request, trustedProxies);
  const [network, site] = [networkOf(address), siteOf(address)];
  const id = addressCounterId(network);
  return site === network ? [id] : [id, addressCounterId(site)];
}

/**
 * Cancels the count of a request that was rejected because of our own outage, so that the customer can repeat it at
 * once.
 */
export function forgetOurOutage(
  context: RequestContext,
  { code }: Problem,
  trusted: BlockList,
  rateLimiter: RateLimiter,
): void {
  const { rate, caller, route, request } = context;
  if (!rate?.allowed || !isOurOutage(code)) return;
  if (caller) {
    rateLimiter.giveBack(caller.account, rateKey(route.rateClass!, caller.isTest));
  } else {
    for (const id of groupsOf(request, trusted)) rateLimiter.giveBack(id, PUBLIC_RATE_KEY);
  }
  context.rate = { ...rate, remaining: rate.remaining + 1 };
}

/** Step 5b: rejects with 429 if the limit per minute is reached. */
export function limitRate({ rate, rateLimit, route }: RequestContext): Problem | undefined {
  if (rate?.allowed) return undefined;
  const { rateName } = route;
  const name = `${rateName}/${rateLimit}`;
  let refusal = rateLimited.get(name);
  if (refusal === undefined) {
    if (rateLimited.size >= REFUSALS_MAX) rateLimited.clear();
    refusal = new RateLimited(rateName, rateLimit);
    rateLimited.set(name, refusal);
  }
  return refusal;
}

/**
 * Step 5c, once the body has arrived: rejects with 503 if the class, or the account's share of it, is full. The slot is
 * taken only now, so that a body that arrives slowly does not occupy a slot that other requests need.
 */
export function enterClass(
  context: RequestContext,
  concurrency: ClassConcurrency,
): Problem | undefined {
  const { route, caller } = context;
  context.isInClass = concurrency.enter(route.classPlace, caller?.account);
  return context.isInClass ? undefined : new ClassBusy(route.limits.concurrency);
}
