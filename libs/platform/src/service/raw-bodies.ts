import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { type ExecutionContext, createParamDecorator } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

export interface RawBodies {
  /** The largest body of `application/octet-stream`, which reaches a route unchanged; if unset, none is accepted. */
  rawBodyLimitBytes?: number;
  /** Whether bodies of uploads reach their routes as streams (`BodyStream`), however long an upload takes. */
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

/**
 * The body of an upload as it arrives, in a service that `takesUploads`: `@BodyStream() body: Readable`. For a request
 * without a body, the stream is empty. If the client disconnects early, the stream ends with an error.
 */
export const BodyStream = createParamDecorator(
  (_: unknown, context: ExecutionContext): Readable =>
    context.switchToHttp().getRequest<FastifyRequest>().raw,
);

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
