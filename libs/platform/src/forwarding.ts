import type { IncomingMessage } from 'node:http';
import { isLoopbackHost } from './loopback.js';

/** The headers in which proxies, balancers and content delivery networks name their client or themselves. */
const OF_PROXIES =
  /^(forwarded|via|x-forwarded(-.*)?|x-original-.*|x-real-ip|x-client-ip|x-cluster-client-ip|x-remote-(ip|addr)|x-envoy-.*|x-arr-.*|x-azure-.*|x-amzn-.*|x-appengine-.*|x-proxyuser-ip|true-client-ip|client-ip|cf-.*|cdn-loop|fastly-.*|fly-.*|tailscale-.*|ngrok-.*)$/;

/**
 * Whether the request comes from a browser or program on this machine, with nothing in between. Even a proxy that adds
 * no headers, such as nginx with only `proxy_pass`, is recognised: it speaks HTTP/1.0 or omits `Connection:
 * keep-alive`, which applies to one hop only (RFC 9110 §7.6.1) and which every browser sends.
 */
export function isFromThisMachine(request: IncomingMessage): boolean {
  const { headersDistinct, httpVersion, socket } = request;
  const { host, connection } = headersDistinct;
  if (host?.length !== 1 || !isLoopbackHost(nameOf(host[0]))) return false;
  if (!isLoopbackHost(plain(socket.remoteAddress ?? ''))) return false;
  if (httpVersion !== '1.1' || connection?.join().toLowerCase() !== 'keep-alive') return false;
  return !Object.keys(headersDistinct).some((name) => OF_PROXIES.test(name));
}

const nameOf = (host: string) => host.replace(/:[0-9]*$/, '');

/** Returns an address without the prefix that an IPv4 peer has on an IPv6 socket. */
const plain = (address: string) => address.replace(/^::ffff:/, '');
