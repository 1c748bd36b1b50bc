import { type BlockList, isIP } from 'node:net';
import { isInBlocks } from '#libs/domain-names';
import type { ApiRequest } from './request-context.js';

/**
 * The address a request came from. `X-Forwarded-For` counts only as far as the hops before it are
 * configured proxies: from the right, the first address that is not one (S96).
 */
export function clientAddress(request: ApiRequest, trustedProxies: BlockList): string {
  let address = plain(request.socket.remoteAddress ?? '');
  const hops = hopsOf(request.rawHeaders);
  while (hops.length > 0 && isInBlocks(address, trustedProxies)) {
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

/** An IPv4 peer of an IPv6 socket is the same peer. */
function plain(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;
}
