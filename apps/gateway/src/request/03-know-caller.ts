import type { BlockList } from 'node:net';
import { Problem, runInContext } from '#libs/platform';
import { clientAddress } from '../context/client-address.js';
import type { RequestContext } from '../context/request-context.js';
import type { KeyEntry } from '../auth-cache/caller.js';
import type { AuthCache } from '../auth-cache/auth-cache.js';
import { TooManyFailedKeys } from '../auth-cache/auth-cache.errors.js';
import type { FailedKeys } from '../auth-cache/failed-keys.js';

/** What a request, or a message of MCP, shows about its caller. */
type Asked = Pick<RequestContext, 'apiKey' | 'startedMs' | 'request' | 'requestId' | 'span'>;

/**
 * Step 3: identifies the caller, whose record is usually in memory. Otherwise, the key's checksum and hash are checked,
 * and the records are loaded from their owners, unless the address has failed too often.
 */
export function knowCaller(
  { apiKey, startedMs, request, requestId, span }: Asked,
  authCache: AuthCache,
  failedKeys: FailedKeys,
  trustedProxies: BlockList,
): KeyEntry | Problem | Promise<KeyEntry | Problem> {
  const known = authCache.find(apiKey, startedMs);
  if (known) return known;
  const address = clientAddress(request, trustedProxies);
  // If the key is already being loaded, this request causes no additional call.
  const isNew = !authCache.isLoading(apiKey);
  const waitSeconds = isNew ? failedKeys.waitSeconds(address, startedMs) : 0;
  if (waitSeconds > 0) return new TooManyFailedKeys(waitSeconds);
  if (isNew) failedKeys.begin(address);
  const ids = { requestId, traceparent: span?.traceparent };
  const load = runInContext(ids, () => authCache.load(apiKey));
  return load.then((loaded) => {
    if (isNew) failedKeys.end(address);
    if (loaded instanceof Problem && loaded.status === 401) failedKeys.note(address, startedMs);
    return loaded;
  });
}
