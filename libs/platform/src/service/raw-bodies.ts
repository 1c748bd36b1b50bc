import type { ServerResponse } from 'node:http';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

export interface RawBodies {
  /** The largest body of `application/octet-stream`, which reaches a route unchanged; if unset, none is accepted. */
  rawBodyLimitBytes?: number;
  /** Whether bodies of uploads reach their routes as streams (`request.raw`), however long an upload takes. */
  takesUploads?: boolean;
}

const STREAMED_TYPES = ['multipart/form-data', 'application/offset+octet-stream'];

/** The running answers and uploads, by server, that a stopping server does not wait for. */
const streams = new WeakMap<object, Set<ServerResponse>>();

export function addRawBodies(
  app: NestFastifyApplication,
  { rawBodyLimitBytes: bodyLimit, takesUploads }: RawBodies,
): void {
  if (bodyLimit !== undefined) {
    app.useBodyParser('application/octet-stream', { bodyLimit }, (_request, body, done) =>
      done(null, body),
    );
  }
  if (!takesUploads) return;
  const fastify = app.getHttpAdapter().getInstance();
  fastify.addContentTypeParser(STREAMED_TYPES, (_request, body, done) => done(null, body));
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
