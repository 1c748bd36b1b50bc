import { type IncomingMessage, STATUS_CODES, ServerResponse } from 'node:http';
import { SECOND_MS } from '#libs/platform';
import { BodyPieces, noteLastAnswer } from '#libs/public-http';
import type { Reply } from './request-context.js';

/** Maximum time in which the gateway reads and discards the rest of a request. */
const LATE_MS = 2 * SECOND_MS;

declare module 'node:http' {
  /** Methods that Node defines for subclasses of a message, but that its type definitions omit. */
  interface OutgoingMessage {
    _implicitHeader(): void;
    _storeHeader(headers: string): void;
  }
}

/**
 * A response that can be sent in one write. `writeHead` tests each name and value with regular expressions, which costs
 * more than all the numbered steps together. The headers of an API answer consist only of our own constants, ids and
 * numbers, so they are sent without these tests.
 */
export class ApiResponse<Request extends IncomingMessage = IncomingMessage>
  extends ServerResponse<Request>
  implements Reply
{
  private wholeHead = '';
  /** Whether the request has a body. If the body is not read to its end, the connection is closed. */
  hasRequestBody = false;

  /** Whether the client waits for permission to send its body (`Expect: 100-continue`). */
  isAwaited = false;

  /** Asks for the body, if the client waits for permission. */
  invite(): void {
    if (this.isAwaited) this.writeContinue();
    this.isAwaited = false;
  }

  /** Sends headers and body, in one write unless the body of the request is still arriving. */
  sendWhole(status: number, lines: string, body: string): void {
    if (this.hasRequestBody && isOnItsWay(this.req)) {
      this.begin(status, `${lines}Content-Length: ${body.length}\r\n`);
      // `Content-Length` marks the end of the body.
      this.removeHeader('Transfer-Encoding');
      return endLate(this, body);
    }
    this.begin(status, lines);
    // Without the length, an HTTP/1.0 client recognises the end of the body only when the connection closes.
    this.useChunkedEncodingByDefault = true;
    this.end(body, 'latin1');
  }

  /** Sends a response as `sendWhole` does, and closes the connection afterwards. */
  sendLast(status: number, lines: string, body: string): void {
    this.shouldKeepAlive = false;
    this.sendWhole(status, lines, body);
  }

  /** Sends the headers; `write` and `end` then send the body. */
  begin(status: number, lines: string): void {
    this.statusCode = status;
    this.wholeHead = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines}`;
    if (this.hasRequestBody && !this.req.complete) this.shouldKeepAlive = false;
  }

  /** Called by Node before it writes a body if no headers have been sent. */
  override _implicitHeader(): void {
    if (this.wholeHead === '') super._implicitHeader();
    else this._storeHeader(this.wholeHead);
  }
}

/** Whether a part of the request's body has not arrived yet, or has not been read. */
export function isOnItsWay({ headers, complete }: IncomingMessage): boolean {
  const hasBody =
    headers['transfer-encoding'] !== undefined || headers['content-length'] !== undefined;
  return hasBody && !complete;
}

/**
 * Ends a response while its request is still arriving, and closes the connection. The response's headers must state its
 * length. The rest of the request is read and discarded for a while, because closing at once could destroy the answer
 * (RFC 9112 §9.6).
 */
export function endLate(response: ServerResponse, body: string): void {
  const { req: request } = response;
  response.shouldKeepAlive = false;
  noteLastAnswer(request.socket);
  response.write(body, 'latin1');
  const pieces = new BodyPieces();
  const look = (piece: Buffer) => {
    if (pieces.areTooMany(piece)) end();
  };
  const end = () => {
    clearTimeout(timer);
    request.off('data', look);
    response.end();
  };
  const timer = setTimeout(end, LATE_MS);
  request.once('close', end).once('end', end).on('data', look);
  // The reader may have paused the request.
  request.resume();
}
