import type { Socket } from 'node:net';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { MalformedRequest, type Problem } from '#libs/platform';
import { URI_MAX_BYTES } from './header-limits.js';
import type { ProblemBodies } from './problem-body.js';
import { HeadersTooLarge, RequestTimeout, UriTooLong } from './refusals.errors.js';
import { newRequestId } from './request-id.js';

/** The parts of a listener's answer to a request without a response object. */
export interface RawAnswers {
  bodies: ProblemBodies;
  /** The headers of all answers of the listener, as lines with line endings. */
  headerLines: string;
  /** Whether a request on this socket has no answer yet, if the listener tracks requests. */
  isAsking?: (socket: Socket) => boolean;
}

interface ParserError extends Error {
  code?: string;
  rawPacket?: Buffer;
  /** The position, within the packet, of the byte that the parser rejected. */
  bytesParsed?: number;
}

/**
 * The advice for a URL with other characters: a browser encodes a name such as bücher.example, but other programs may
 * not.
 */
const ASCII_HINT =
  ' Characters outside ASCII must be percent-encoded, or the name sent in its ASCII form (xn--…).';
const ASCII_MAX = 0x7f;

/**
 * How long data that still arrives is read and discarded before the socket is closed; closing at once could discard
 * the answer.
 */
const LINGER_MS = 1_000;

/** Sockets on which the last answer was sent; the parser reports an error for each further packet. */
const answered = new WeakSet<Socket>();

/**
 * Records that the current answer is the last on this socket: further requests on the socket are dropped without an
 * answer.
 */
export function noteLastAnswer(socket: Socket): void {
  answered.add(socket);
}

/**
 * Sends a problem document for a request that the HTTP parser rejects; drops the connection if no answer can be sent.
 * Does nothing after a connection's last answer, or if a request is late while an earlier one has no answer yet.
 */
export function answerParserError(fault: Error, socket: Socket, answers: RawAnswers): void {
  const error = fault as ParserError;
  if (answered.has(socket)) return;
  // The client's next request is late because the client waits for answers, and it would mistake a 408 for one of them.
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && answers.isAsking?.(socket)) return;
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  answered.add(socket);
  endWith(socket, problemOf(error), answers);
}

/** Sends a last answer and, a second later, closes the connection even if the client does not close its side. */
export function endWith(socket: Duplex, problem: Problem, answers: RawAnswers): void {
  socket.end(rawAnswer(problem, answers), 'latin1');
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

/** Composes a complete HTTP answer, one character per byte. */
function rawAnswer(problem: Problem, { bodies, headerLines }: RawAnswers): string {
  const requestId = newRequestId();
  const body = bodies.render(problem, { requestId, path: '' });
  const { status } = problem;
  const own = [
    `X-Request-Id: ${requestId}`,
    'Content-Type: application/problem+json',
    `Content-Length: ${body.length}`,
    'Connection: close',
  ];
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${headerLines}${own.join('\r\n')}\r\n\r\n${body}`;
}

function problemOf({ code, rawPacket, bytesParsed = 0 }: ParserError): Problem {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new RequestTimeout();
  if (code === 'HPE_INVALID_URL' && (rawPacket?.[bytesParsed] ?? 0) > ASCII_MAX) {
    return new MalformedRequest(ASCII_HINT);
  }
  if (code !== 'HPE_HEADER_OVERFLOW') return new MalformedRequest();
  // The parser does not say which part was too long. If the first line has no end, it was the first line.
  const firstLine = rawPacket?.indexOf('\r\n') ?? -1;
  const isRequestLine = /^[A-Z]+ /.test(rawPacket?.toString('latin1', 0, 10) ?? '');
  return isRequestLine && (firstLine === -1 || firstLine > URI_MAX_BYTES)
    ? new UriTooLong(URI_MAX_BYTES)
    : new HeadersTooLarge();
}
