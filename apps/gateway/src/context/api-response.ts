import { type IncomingMessage, STATUS_CODES, ServerResponse } from 'node:http';
import { SECOND_MS } from '#libs/platform';
import { noteLastAnswer } from '#libs/public-http';
import type { Reply } from './request-context.js';

/** How long data from a client is read and discarded. */
const LATE_MS = 2 * SECOND_MS;

declare module 'node:http' {
  /** Methods that Node has for subclasses of a message, and that its type definitions leave out. */
  interface OutgoingMessage {
    _implicitHeader(): void;
    _storeHeader(headers: string): void;
  }
}

/**
 * A response that can be sent whole. `writeHead` tests each name and each value with regular
 * expressions, which costs more than all the numbered steps together; the headers of an API answer are made
 * of our own constants, ids and numbers, so it goes out as it was put together.
 */
export class ApiResponse<Request extends IncomingMessage = IncomingMessage>
  extends ServerResponse<Request>
  implements Reply
{
  private wholeHead = '';
  /** Whether the request has a body: a body that is not read to its end costs the connection. */
  hasRequestBody = false;

  /** Whether the client waits for permission to send its body (`Expect: 100-continue`). */
  isAwaited = false;

  /** Asks for the body, where the client waits for that. */
  invite(): void {
    if (this.isAwaited) this.writeContinue();
    this.isAwaited = false;
  }

  /** Sends headers and body in one write. */
  sendWhole(status: number, lines: string, body: string): void {
    if (this.hasRequestBody && isOnItsWay(this.req)) {
      this.begin(status, `${lines}Content-Length: ${body.length}\r\n`);
      // The length frames it.
      this.removeHeader('Transfer-Encoding');
      return endLate(this, body);
    }
    this.begin(status, lines);
    // Otherwise an HTTP/1.0 client recognises the end only when the connection closes.
    this.useChunkedEncodingByDefault = true;
    this.end(body, 'latin1');
  }

  /** Like `sendWhole`, and closes the connection. */
  sendLast(status: number, lines: string, body: string): void {
    this.shouldKeepAlive = false;
    this.sendWhole(status, lines, body);
  }

  /** Sends the headers; the body follows by `write` and `end`. */
  begin(status: number, lines: string): void {
    this.statusCode = status;
    this.wholeHead = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines}`;
    if (this.hasRequestBody && !this.req.complete) this.shouldKeepAlive = false;
  }

  /** Node asks for the headers when there is a body and no headers yet. */
  override _implicitHeader(): void {
    if (this.wholeHead === '') super._implicitHeader();
    else this._storeHeader(this.wholeHead);
  }
}

/** Whether a part of its body has not arrived yet, or not been read. */
export function isOnItsWay({ headers, complete }: IncomingMessage): boolean {
  const hasBody =
    headers['transfer-encoding'] !== undefined || headers['content-length'] !== undefined;
  return hasBody && !complete;
}

/**
 * Ends a response whose headers say its length, and its connection, while the request is still on its way: what is
 * left of it is read and thrown away for a while, as closing at once would take the answer back (RFC 9112 §9.6).
 */
export function endLate(response: ServerResponse, body: string): void {
  const { req: request } = response;
  response.shouldKeepAlive = false;
  noteLastAnswer(request.socket);
  response.write(body, 'latin1');
  const end = () => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(end, LATE_MS);
  request.once('close', end).once('end', end);
  request.resume();
}
