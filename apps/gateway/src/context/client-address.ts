import type { BlockList } from 'node:net';
import { isInBlocks } from '#libs/domain-names';
import { forwardedAddress, siteOf } from '#libs/platform';
import type { ApiRequest, RequestContext } from './request-context.js';

/**
 * Returns the address from which a request came: the first address from the right in `X-Forwarded-For` that is not a
 * configured proxy (S96). The header is ignored if the peer is not a proxy, and so is everything left of an invalid
 * entry.
 */
export function clientAddress(request: ApiRequest, trustedProxies: BlockList): string {
  let address = plain(request.socket.remoteAddress ?? '');
  const hops = hopsOf(request.rawHeaders);
  while (hops.length > 0 && isInBlocks(address, trustedProxies)) {
    const hop = forwardedAddress(hops.pop()!.trim());
    if (hop === undefined) break;
    address = plain(hop);
  }
  return address;
}

/** Returns the sender of a request: its account or, without a key, the client's site (`siteOf`). */
export function senderOf({ caller, request }: RequestContext, trustedProxies: BlockList): string {
  return caller?.account.id ?? siteOf(clientAddress(request, trustedProxies));
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

/** Returns an IPv4-mapped IPv6 address in its IPv4 form, because both name the same peer. */
function plain(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;
}
