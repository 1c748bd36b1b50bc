import type { IncomingMessage } from 'node:http';
import type { BlockList } from 'node:net';
import {
  InvalidRequest,
  PayloadTooLarge,
  Problem,
  UnsupportedMediaType,
  checkJsonShape,
  checkJsonText,
} from '#libs/platform';
import { BodyPieces, RequestTimeout, tooManyPieces } from '#libs/public-http';
import type { ApiResponse } from './api-response.js';
import { senderOf } from './client-address.js';
import type { RequestContext } from './request-context.js';

const invalidJson = new InvalidRequest([{ field: 'body', message: 'is not valid JSON in UTF-8' }]);
const missingBody = new InvalidRequest([{ field: 'body', message: 'is required, as JSON' }]);
const compressed = new UnsupportedMediaType(
  'A body with a Content-Encoding is not supported. Send it uncompressed.',
);
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Maximum number of bodies that may be arriving at the same time. They occupy no slot of a class, because a client may
 * send as slowly as the time limit allows.
 */
const ARRIVING_MAX = 200;

interface ArrivingBody {
  /** The account or, without a key, the site of the request; see `senderOf`. */
  sender: string;
  refuse: () => void;
}

export class RequestBodies {
  /** Oldest first. */
  private readonly arriving = new Set<ArrivingBody>();

  /** @param timeoutMs the time limit from the end of the headers to the last byte of the body. */
  constructor(
    private readonly timeoutMs: number,
    private readonly trustedProxies: BlockList,
  ) {}

  /** Reads the JSON body of a request for an operation. @returns the parsed body, or a Problem; see `readJson`. */
  async read(context: RequestContext): Promise<unknown> {
    // A plain connection hands requests with a body over, so this is Node's own request.
    (context.reply as ApiResponse).invite();
    const sender = senderOf(context, this.trustedProxies);
    const { bodyBytes } = context.route.limits;
    return this.readJson(context.request as IncomingMessage, sender, bodyBytes);
  }

  /**
   * Reads a JSON body. A body that is too large, too slow or in too many pieces is discarded (S104), and its connection
   * closes after the answer. While 200 bodies are arriving, each further one causes the oldest body of the sender with
   * the most bodies to be rejected. The promise stays pending if the client disconnects before the body is complete.
   * @param sender the account or, without a key, the site of the request.
   * @param beforeParsing is awaited once the body has arrived.
   * @returns the parsed body, or a Problem.
   */
  async readJson(
    request: IncomingMessage,
    sender: string,
    bodyBytes: number,
    beforeParsing?: () => Promise<void>,
  ): Promise<unknown> {
    const { headers } = request;
    const type = headers['content-type']?.split(';', 1)[0].trim().toLowerCase();
    if (type !== 'application/json') return new UnsupportedMediaType();
    if (headers['content-encoding'] !== undefined) return compressed;
    // Without these headers, a request has no body (RFC 9112 §6.3), and Node's server does not report the body's end.
    if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) {
      return missingBody;
    }
    const bytes = await this.readBytes(request, sender, bodyBytes);
    if (bytes instanceof Problem) return bytes;
    if (bytes.length === 0) return missingBody;
    await beforeParsing?.();
    try {
      const text = utf8.decode(bytes);
      checkJsonText(text);
      const body: unknown = JSON.parse(text);
      checkJsonShape(body);
      return body;
    } catch (error) {
      return error instanceof Problem ? error : invalidJson;
    }
  }

  private async readBytes(
    request: IncomingMessage,
    sender: string,
    bodyBytes: number,
  ): Promise<Buffer | Problem> {
    return new Promise((resolve) => {
      const chunks: Buffer[] = [];
      const pieces = new BodyPieces();
      let size = 0;
      const stop = () => {
        clearTimeout(timer);
        request.off('data', take);
        this.arriving.delete(body);
      };
      const end = (problem: Problem) => {
        stop();
        chunks.length = 0;
        request.pause();
        resolve(problem);
      };
      const take = (chunk: Buffer) => {
        size += chunk.length;
        if (size > bodyBytes) return end(new PayloadTooLarge());
        if (pieces.areTooMany(chunk)) return end(tooManyPieces);
        chunks.push(chunk);
      };
      const body = { sender, refuse: () => end(new RequestTimeout()) };
      // Node's own time limit is ignored once a request has reached its handler (see `answerParserError`).
      const timer = setTimeout(body.refuse, this.timeoutMs);
      this.makeRoom();
      this.arriving.add(body);
      request.on('data', take);
      request.on('end', () => {
        stop();
        resolve(Buffer.concat(chunks));
      });
      request.on('close', stop);
      // The `close` event ends the reading, so the stream's error can be ignored.
      request.on('error', () => {});
    });
  }

  /** At the maximum, refuses the oldest body of the sender with the most bodies. */
  private makeRoom(): void {
    if (this.arriving.size < ARRIVING_MAX) return;
    const counts = new Map<string, number>();
    for (const { sender } of this.arriving) counts.set(sender, (counts.get(sender) ?? 0) + 1);
    const most = Math.max(...counts.values());
    for (const body of this.arriving) {
      if (counts.get(body.sender) === most) return body.refuse();
    }
  }
}
