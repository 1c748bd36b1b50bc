import type { IncomingMessage } from 'node:http';
import { isLoopbackHost } from './loopback.js';

/** Headers by which proxies, balancers and content networks name their client or themselves. */
const OF_PROXIES =
  /^(forwarded|via|x-forwarded(-.*)?|x-original-.*|x-real-ip|x-client-ip|x-cluster-client-ip|x-remote-(ip|addr)|x-envoy-.*|x-arr-.*|x-azure-.*|x-amzn-.*|x-appengine-.*|x-proxyuser-ip|true-client-ip|client-ip|cf-.*|cdn-loop|fastly-.*|fly-.*|tailscale-.*|ngrok-.*)$/;

/**
 * Whether a browser or program of this machine asks, with nothing in between. A proxy that hides itself, as nginx does
 * with no more than `proxy_pass`, still gives itself away: it speaks HTTP/1.0 or says nothing of a connection that
 * stays open, which concerns one hop alone (RFC 9110 §7.6.1) and which every browser says.
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

/** An IPv4 peer of an IPv6 socket is the same peer. */
const plain = (address: string) => address.replace(/^::ffff:/, '');
