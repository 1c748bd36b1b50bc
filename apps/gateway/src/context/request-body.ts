import type { IncomingMessage } from 'node:http';
import {
  InvalidRequest,
  PayloadTooLarge,
  Problem,
  UnsupportedMediaType,
  checkJsonShape,
} from '#libs/platform';
import { RequestTimeout } from '#libs/public-http';

const invalidJson = new InvalidRequest([{ field: 'body', message: 'is not valid JSON in UTF-8' }]);
const missingBody = new InvalidRequest([{ field: 'body', message: 'is required, as JSON' }]);
const compressed = new UnsupportedMediaType(
  'A body with a Content-Encoding is not supported. Send it uncompressed.',
);
const utf8 = new TextDecoder('utf-8', { fatal: true });

export interface BodyLimits {
  bytes: number;
  /** The time limit from the end of the headers to the last byte of the body. */
  timeoutMs: number;
}

/**
 * Reads a JSON body within its limits. A body that is too large or too slow is discarded (S104), and its connection
 * closes after the answer. The promise stays pending if the client disconnects before the body is complete.
 */
export async function readJsonBody(request: IncomingMessage, limits: BodyLimits): Promise<unknown> {
  const { headers } = request;
  const type = headers['content-type']?.split(';', 1)[0].trim().toLowerCase();
  if (type !== 'application/json') return new UnsupportedMediaType();
  if (headers['content-encoding'] !== undefined) return compressed;
  // Without these headers, a request has no body (RFC 9112 §6.3), and Node's server does not report the body's end.
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) {
    return missingBody;
  }
  const bytes = await readBytes(request, limits);
  if (bytes instanceof Problem) return bytes;
  if (bytes.length === 0) return missingBody;
  try {
    const body: unknown = JSON.parse(utf8.decode(bytes));
    checkJsonShape(body);
    return body;
  } catch (error) {
    return error instanceof Problem ? error : invalidJson;
  }
}

async function readBytes(
  request: IncomingMessage,
  { bytes: limitBytes, timeoutMs }: BodyLimits,
): Promise<Buffer | Problem> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const refuse = (problem: Problem) => {
      clearTimeout(timer);
      chunks.length = 0;
      request.pause();
      resolve(problem);
    };
    // Node's own time limit ends when the request's handler is called.
    const timer = setTimeout(() => refuse(new RequestTimeout()), timeoutMs);
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limitBytes) chunks.push(chunk);
      else refuse(new PayloadTooLarge());
    });
    request.on('end', () => {
      clearTimeout(timer);
      resolve(Buffer.concat(chunks));
    });
    request.on('close', () => clearTimeout(timer));
    // The request ends with the socket's close event, so the stream's error can be ignored.
    request.on('error', () => {});
  });
}
