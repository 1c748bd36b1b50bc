import { connect, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls, type SecureContext } from 'node:tls';
import { ConnectionError } from './connection-error.js';

const NEXT_ADDRESS_AFTER_MS = 300;

/**
 * Opens a TCP connection to the first of `addresses` that answers. `host` is never resolved, so the connection uses a
 * checked address.
 * @throws ConnectionError if there is no address or none answers, or if `signal` aborts.
 */
export async function openTcp(
  host: string,
  addresses: readonly string[],
  port: number,
  signal: AbortSignal,
): Promise<Socket> {
  // Without an address, Node would connect to localhost.
  if (addresses.length === 0) throw new ConnectionError('unresolved');
  const checked = addresses.map((address) => ({ address, family: isIP(address) }));
  const lookup: LookupFunction = (_host, _options, callback) => callback(null, checked);
  // With one address, there is nothing to select, and the selection would cost as much as the connection itself.
  const way =
    addresses.length === 1 || isIP(host) !== 0
      ? { host: addresses[0] }
      : {
          host,
          lookup,
          autoSelectFamily: true,
          autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS,
        };
  const socket = connect({ ...way, port, noDelay: true });
  return opened(socket, 'connect', signal);
}

/**
 * Starts TLS on an open connection, and checks that the certificate is for `host`.
 * @throws ConnectionError if either fails, or if `signal` aborts.
 */
export function openTls(
  host: string,
  socket: Socket,
  secureContext: SecureContext,
  signal: AbortSignal,
): Promise<Socket> {
  const name = isIP(host) === 0 ? { servername: host } : { host };
  const secure = connectTls({ socket, secureContext, ALPNProtocols: ['http/1.1'], ...name });
  return opened(secure, 'secureConnect', signal);
}

function opened(
  socket: Socket,
  event: 'connect' | 'secureConnect',
  signal: AbortSignal,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const settle = (error?: unknown) => {
      signal.removeEventListener('abort', abort);
      socket.off('error', settle).off('close', closed);
      if (error === undefined) return resolve(socket);
      // A socket that fails later still needs an error listener; otherwise, the process would exit.
      socket.on('error', () => undefined).destroy();
      reject(ConnectionError.from(error));
    };
    const abort = () => settle(signal.reason);
    const closed = () => settle(new ConnectionError('reset'));
    socket
      .once(event, () => settle())
      .once('error', settle)
      .once('close', closed);
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
  });
}
