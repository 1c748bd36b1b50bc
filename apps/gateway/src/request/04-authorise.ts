import type { BlockList } from 'node:net';
import { AccountSuspended } from '#libs/public-http';
import { isInBlocks } from '#libs/domain-names';
import type { Problem } from '#libs/platform';
import { clientAddress } from '../context/client-address.js';
import type { RequestContext } from '../context/request-context.js';
import type { KeyEntry } from '../auth-cache/caller.js';
import {
  AddressNotAllowed,
  CappedKeyNotAllowed,
  KeyPaused,
  ScopeDenied,
  TestKeyNotAllowed,
} from '../auth-cache/auth-cache.errors.js';

const accountSuspended = new AccountSuspended();
const addressNotAllowed = new AddressNotAllowed();
const cappedKeyNotAllowed = new CappedKeyNotAllowed();
const keyPaused = new KeyPaused();
const testKeyNotAllowed = new TestKeyNotAllowed();

/** Step 4: rejects with 403 if the key may not make this request from this address at this time. */
export function authorise(
  { request, route }: RequestContext,
  caller: KeyEntry,
  trustedProxies: BlockList,
): Problem | undefined {
  const { account, allowList } = caller;
  if (account.isSuspended) return accountSuspended;
  if (allowList && !isInBlocks(clientAddress(request, trustedProxies), allowList)) {
    return addressNotAllowed;
  }
  if ((caller.scopeBits & route.scopeBit) === 0) return new ScopeDenied(route.scope!);
  if (route.isForLiveKeys && caller.isTest) return testKeyNotAllowed;
  if (route.isChargedLater && caller.dailyCreditCap > 0) return cappedKeyNotAllowed;
  return caller.rank > account.keys ? keyPaused : undefined;
}
