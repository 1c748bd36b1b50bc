import { type IncomingMessage, STATUS_CODES, ServerResponse } from 'node:http';
import type { Reply } from './request-context.js';

declare module 'node:http' {
  /** What every message of Node has for its subclasses, and its type definitions leave out. */
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
  /** Whether a body comes with the request: one that is not read to its end takes the connection with it. */
  hasRequestBody = false;

  /** Sends headers and body in one write. */
  sendWhole(status: number, lines: string, body: string): void {
    this.begin(status, lines);
    // Otherwise an HTTP/1.0 client recognises the end only when the connection closes.
    this.useChunkedEncodingByDefault = true;
    this.end(body, 'latin1');
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
