import type { Socket } from 'node:net';
import { ConnectionError } from './connection-error.js';

/** Maximum number of informational answers (RFC 9110 §15.2) before an answer. */
const INFORMATIONAL_MAX = 16;

/**
 * Closes a connection once the server has sent more than `bytesMax` bytes since the last request. HTTP clients limit
 * headers and body, but read a reason, a chunk extension or informational answers without end, which keeps the
 * processor busy.
 * @returns the socket.
 */
export function limitAnswers(socket: Socket, bytesMax: number): Socket {
  let sentBytes = socket.bytesWritten;
  let beginBytes = socket.bytesRead;
  let seenBytes = beginBytes;
  return socket.on('readable', () => {
    if (socket.bytesWritten !== sentBytes) {
      sentBytes = socket.bytesWritten;
      beginBytes = seenBytes;
    }
    seenBytes = socket.bytesRead;
    if (seenBytes - beginBytes <= bytesMax) return;
    socket.destroy(new ConnectionError('protocol_error'));
  });
}

/** Returns a function that counts the informational answers to a request. It throws if there are too many. */
export function countInformational(): () => void {
  let left = INFORMATIONAL_MAX;
  return () => {
    left -= 1;
    if (left < 0) throw new ConnectionError('protocol_error');
  };
}
