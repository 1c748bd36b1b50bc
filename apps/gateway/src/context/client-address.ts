import { isLoopbackOrigin } from '#libs/platform';
import { type BlockList, isIP } from 'node:net';
import { contains } from '../auth-cache/allow-list.js';
import type { ApiRequest } from './request-context.js';

/**
 * The address a request came from. `X-Forwarded-For` counts only as far as the hops before it are
 * configured proxies: from the right, the first address that is not one (S96).
 */
export function clientAddress(request: ApiRequest, trustedProxies: BlockList): string {
  let address = plain(request.socket.remoteAddress ?? '');
  const hops = hopsOf(request.rawHeaders);
  while (hops.length > 0 && contains(trustedProxies, address)) {
    const hop = plain(hops.pop()!.trim());
    if (isIP(hop) === 0) break;
    address = hop;
  }
  return address;
}

/** Several headers of the name are one list (RFC 9110 §5.3). */
function hopsOf(rawHeaders: readonly string[]): string[] {
  const hops: string[] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i].toLowerCase() === 'x-forwarded-for')
      hops.push(...rawHeaders[i + 1].split(','));
  }
  return hops;
}

/**
 * What failed keys are counted by: an IPv4 address, or the block an IPv6 address lies in, of so many groups
 * of 16 bits: 4 are the /64 of a customer, 3 the /48 of a site.
 */
export function addressGroup(address: string, groupCount = 4): string {
  if (!address.includes(':')) return address;
  const [head, tail] = address.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const missing = tail === undefined ? 0 : 8 - left.length - right.length;
  const groups = [...left, ...Array.from({ length: Math.max(0, missing) }, () => '0'), ...right];
  return groups
    .slice(0, groupCount)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':');
}

/** An IPv4 peer of an IPv6 socket is the same peer. */
function plain(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;
}

/**
 * What to tell an operator whose customers all seem to have one address: a public origin without a trusted
 * proxy. Limits by address would then count everybody together.
 */
export function hiddenClientsOf(config: {
  baseUrl: string;
  billingUrl: string;
  trustedProxies: string[];
}): string | undefined {
  const isPublic = ![config.baseUrl, config.billingUrl].every(isLoopbackOrigin);
  if (!isPublic || config.trustedProxies.length > 0) return undefined;
  return 'GATEWAY_TRUSTED_PROXIES is not set although BASE_URL or BILLING_URL is public: behind a proxy every customer has its address, and the limits by address count all of them together';
}
