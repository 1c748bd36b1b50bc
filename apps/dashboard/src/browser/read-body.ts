import type { FastifyInstance, FastifyRequest } from 'fastify';
import {
  InvalidRequest,
  Problem,
  SECOND_MS,
  UnsupportedMediaType,
  checkJsonText,
} from '#libs/platform';
import type { SignedAccess } from '#libs/contracts';
import { RequestTimeout } from '#libs/public-http';
import { meterBodies } from './body-memory.js';
import { csrfOf } from './form-start.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set if a machine sends the call and signs its bytes; the checks for browsers then do not apply. */
    signed?: SignedAccess;
    /** Whether the body is forwarded to its owner without being read. */
    isUpload?: boolean;
    /** Set for the form of a page in which the token precedes the file. */
    isUploadForm?: boolean;
    /** Set for an upload or a download, which may last as long as data is transferred. */
    isTransfer?: boolean;
    /** Set if a field of the form may be as long as the body. The service that gets its content checks it again. */
    hasLongField?: boolean;
    /** Maximum size of the body. By default, the listener's limit applies. */
    bodyLimitBytes?: number;
  }
}

/**
 * Reads bodies for the dashboard's listener: forms and JSON, and for signed routes the unchanged bytes, never parsed or
 * decompressed. Uploads are left to their routes. A callback without a signature is rejected before its body is read; the
 * body of one with a signature has a time limit. Each route may have its own limit of bytes. All bodies that are being
 * read or answered, except uploads, also share a limit, because their senders are still unknown (S125).
 */
export function readBodies(server: FastifyInstance): void {
  server.addHook('onRoute', (route) => {
    route.bodyLimit = route.config?.bodyLimitBytes ?? route.bodyLimit;
  });
  server.addHook('onRequest', async ({ headers, routeOptions }, reply) => {
    const { signed } = routeOptions.config;
    if (signed === undefined || signed.headers.some((name) => headers[name])) return;
    void reply.header('connection', 'close');
    throw new Problem(signed.unsigned);
  });
  limitSignedBodies(server);
  meterBodies(server);
  const json = server.getDefaultJsonParser('error', 'error');
  server.removeAllContentTypeParsers();
  server.addContentTypeParser(UPLOAD_TYPES, async (request: FastifyRequest, body: unknown) => {
    const { isUpload, isUploadForm } = request.routeOptions.config;
    if (isUploadForm) return { csrf: await csrfOf(request.raw) };
    if (!isUpload) throw new UnsupportedMediaType();
    return body;
  });
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    try {
      if (request.routeOptions.config.signed) return done(null, body);
      const type = typeOf(request);
      if (type === 'application/json') {
        const text = textOf(body);
        checkJsonText(text);
        return json(request, text, done);
      }
      if (type !== 'application/x-www-form-urlencoded') throw new UnsupportedMediaType();
      done(null, readForm(textOf(body)));
    } catch (error) {
      done(error as Error);
    }
  });
}

/** The time within which the body of a callback must arrive. Processors send it at once (S46). */
const SIGNED_BODY_MS = 5 * SECOND_MS;

function limitSignedBodies(server: FastifyInstance): void {
  server.addHook('preParsing', (request, reply, stream, done) => {
    if (request.routeOptions.config.signed !== undefined) {
      const timer = setTimeout(() => {
        void reply.header('connection', 'close');
        // Only the reader stops. Destroying the stream would also lose the answer.
        stream.emit('error', new RequestTimeout());
      }, SIGNED_BODY_MS);
      stream.once('end', () => clearTimeout(timer));
      reply.raw.once('close', () => clearTimeout(timer));
    }
    done(null, stream);
  });
}

/** Maximum number of fields in a form. No page has that many, and parsing each field takes time (S94). */
const FIELDS_MAX = 200;

const UPLOAD_TYPES = ['multipart/form-data', 'application/offset+octet-stream'];

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** @throws InvalidRequest. */
function textOf(body: Buffer): string {
  try {
    return utf8.decode(body);
  } catch {
    throw new InvalidRequest([{ field: 'body', message: 'is not UTF-8' }]);
  }
}

const typeOf = ({ headers }: FastifyRequest) =>
  (headers['content-type'] ?? '').split(';', 1)[0].trim().toLowerCase();

/**
 * Parses a form. @throws InvalidRequest if there are too many fields, or if a field occurs twice, because two parsers
 * might not agree on its value.
 */
function readForm(body: string): Record<string, string> {
  if (body.split('&', FIELDS_MAX + 1).length > FIELDS_MAX) {
    const message = `must not have more than ${FIELDS_MAX} fields`;
    throw new InvalidRequest([{ field: 'body', message }]);
  }
  const form = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(body)) {
    if (form.has(name)) {
      throw new InvalidRequest([{ field: 'body', message: 'a field must not be sent twice' }]);
    }
    form.set(name, value);
  }
  return Object.fromEntries(form);
}
