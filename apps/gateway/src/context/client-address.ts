import { type BlockList, isIP } from 'node:net';
import { isInBlocks } from '#libs/domain-names';
import type { ApiRequest } from './request-context.js';

/**
 * Returns the address from which a request came. `X-Forwarded-For` is used only as far as its hops are configured
 * proxies. The result is the first address from the right that is not a proxy (S96).
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

/** Lists the hops of `X-Forwarded-For`; several headers of this name form one list (RFC 9110 §5.3). */
function hopsOf(rawHeaders: readonly string[]): string[] {
  const hops: string[] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i].toLowerCase() === 'x-forwarded-for')
      hops.push(...rawHeaders[i + 1].split(','));
  }
  return hops;
}

/** Returns an IPv6-mapped address in its IPv4 form, because both are the same peer. */
function plain(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;
}
