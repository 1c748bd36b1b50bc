import type { BlockList } from 'node:net';
import { Problem, runInContext } from '#libs/platform';
import { clientAddress } from '../exchange/client-address.js';
import type { Exchange } from '../exchange/exchange.js';
import type { KeyEntry } from '../facts/caller.js';
import type { Facts } from '../facts/facts.js';
import { TooManyFailedKeys } from '../facts/facts.errors.js';
import type { FailedKeys } from './02-failed-keys.js';

/**
 * Step 4: who sends this. From memory in most cases; else checksum, hash, and a question to the owners
 * of the facts, unless the address has failed too often.
 */
export function knowCaller(
  exchange: Exchange,
  facts: Facts,
  failedKeys: FailedKeys,
  trustedProxies: BlockList,
): KeyEntry | Problem | Promise<KeyEntry | Problem> {
  const { apiKey, startedMs, request } = exchange;
  const known = facts.find(apiKey, startedMs);
  if (known) return known;
  const address = clientAddress(request, trustedProxies);
  // Requests of a key that is being asked about add no question.
  const isNew = !facts.isLoading(apiKey);
  const waitSeconds = isNew ? failedKeys.waitSeconds(address, startedMs) : 0;
  if (waitSeconds > 0) return new TooManyFailedKeys(waitSeconds);
  if (isNew) failedKeys.begin(address);
  const context = { requestId: exchange.requestId, traceparent: exchange.span?.traceparent };
  const load = runInContext(context, () => facts.load(apiKey));
  return load.then((loaded) => {
    if (isNew) failedKeys.end(address);
    if (loaded instanceof Problem && loaded.status === 401) failedKeys.note(address, startedMs);
    return loaded;
  });
}
