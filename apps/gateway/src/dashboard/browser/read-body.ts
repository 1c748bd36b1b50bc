import type { FastifyInstance, FastifyRequest } from 'fastify';
import { InvalidRequest, UnsupportedMediaType } from '#libs/platform';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Sent by a machine that signs its bytes: nothing of a browser is looked for. */
    isSigned?: boolean;
    /** Largest body; the listener's own limit unless given. */
    bodyLimitBytes?: number;
  }
}

/**
 * How the dashboard's listener reads bodies: forms and JSON, and for a signed route the bytes of any type as
 * they came, never parsed or decompressed. Each route may set a limit of its own.
 */
export function readBodies(server: FastifyInstance): void {
  server.addHook('onRoute', (route) => {
    route.bodyLimit = route.config?.bodyLimitBytes ?? route.bodyLimit;
  });
  const json = server.getDefaultJsonParser('error', 'error');
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    try {
      if (request.routeOptions.config.isSigned) return done(null, body);
      const type = typeOf(request);
      if (type === 'application/json') return json(request, textOf(body), done);
      if (type !== 'application/x-www-form-urlencoded') throw new UnsupportedMediaType();
      done(null, readForm(textOf(body)));
    } catch (error) {
      done(error as Error);
    }
  });
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** @throws InvalidRequest. */
function textOf(body: Buffer): string {
  try {
    return utf8.decode(body);
  } catch {
    throw new InvalidRequest([{ field: 'body', message: 'is not UTF-8' }]);
  }
}

/** Without its parameters. */
const typeOf = ({ headers }: FastifyRequest) =>
  (headers['content-type'] ?? '').split(';', 1)[0].trim().toLowerCase();

/** @throws InvalidRequest when a field is there twice: two parsers would not agree on its value. */
function readForm(body: string): Record<string, string> {
  const form = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(body)) {
    if (form.has(name)) {
      throw new InvalidRequest([{ field: 'body', message: 'a field must not be sent twice' }]);
    }
    form.set(name, value);
  }
  return Object.fromEntries(form);
}
