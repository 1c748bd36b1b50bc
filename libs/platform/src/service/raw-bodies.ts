import type { ServerResponse } from 'node:http';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceIdentity, callerOf } from '../internal-calls/internal-route.js';
import { ServiceTokens } from '../internal-calls/service-token.js';
import { CallerNotAllowed } from '../platform.errors.js';

export interface RawBodies {
  /** The largest body of `application/octet-stream`, which reaches a route unchanged; if unset, none is accepted. */
  rawBodyLimitBytes?: number;
  /** Whether bodies of uploads reach their routes as streams (`request.raw`), however long an upload takes. */
  takesUploads?: boolean;
}

const STREAMED_TYPES = ['multipart/form-data', 'application/offset+octet-stream'];

/** The running answers, by server, that a stopping server does not wait for. */
const streams = new WeakMap<object, Set<ServerResponse>>();

/** Accepts bodies only from services: JSON and, as the options say, raw bodies and uploads. */
export function addRawBodies(
  app: NestFastifyApplication,
  { rawBodyLimitBytes: bodyLimit, takesUploads }: RawBodies,
): void {
  refuseForeignBodies(app);
  if (bodyLimit !== undefined) {
    app.useBodyParser('application/octet-stream', { bodyLimit }, (_request, body, done) =>
      done(null, body),
    );
  }
  if (!takesUploads) return;
  const fastify = app.getHttpAdapter().getInstance();
  fastify.addContentTypeParser(STREAMED_TYPES, (_request, body, done) => done(null, body));
}

/**
 * Refuses a body without a valid token before it is read, because such bodies could fill the memory. The guard of
 * routes runs later.
 */
function refuseForeignBodies(app: NestFastifyApplication): void {
  const { name } = app.get(ServiceIdentity, { strict: false });
  const tokens = app.get(ServiceTokens, { strict: false });
  const fastify = app.getHttpAdapter().getInstance();
  fastify.addHook('onRequest', (request, _reply, done) => {
    const { 'transfer-encoding': coding, 'content-length': length = '0' } = request.headers;
    const hasBody = coding !== undefined || Number(length) > 0;
    done(hasBody && !callerOf(request, tokens, name) ? new CallerNotAllowed() : undefined);
  });
}

/** Lets a stopping service cut off an answer, because the client will request the rest. */
export function allowCut({ server }: FastifyRequest, { raw }: FastifyReply): void {
  const own = streams.get(server.server) ?? new Set();
  streams.set(server.server, own.add(raw));
  raw.once('close', () => own.delete(raw));
}

/** Cuts off the answers that a stopping service does not wait for. */
export function cutStreams({ server }: FastifyInstance): void {
  for (const answer of streams.get(server) ?? []) answer.destroy();
}
