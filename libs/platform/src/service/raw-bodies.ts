import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { type ExecutionContext, createParamDecorator } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** The bodies that a service accepts besides JSON. */
export interface RawBodies {
  /** The largest body of `application/octet-stream`, which reaches a route unchanged; without it, none is accepted. */
  rawBodyLimitBytes?: number;
  /** Bodies of uploads reach their routes as streams (`BodyStream`), however long an upload takes. */
  takesUploads?: boolean;
}

/** Types of bodies that reach their route unread. */
const STREAMED_TYPES = ['multipart/form-data', 'application/offset+octet-stream'];

/** Running answers and uploads for which a stop does not wait, by their server. */
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
 * The body of an upload as it arrives, in a service that `takesUploads`: `@BodyStream() body: Readable`. An empty
 * stream for a request without a body. It ends with an error if the client disconnects before its end.
 */
export const BodyStream = createParamDecorator(
  (_: unknown, context: ExecutionContext): Readable =>
    context.switchToHttp().getRequest<FastifyRequest>().raw,
);

/** Allows a stop of the service to cut off an answer, because its client will request the rest. */
export function allowCut({ server }: FastifyRequest, { raw }: FastifyReply): void {
  const own = streams.get(server.server) ?? new Set();
  streams.set(server.server, own.add(raw));
  raw.once('close', () => own.delete(raw));
}

/** Ends the answers for which a stop does not wait. */
export function cutStreams({ server }: FastifyInstance): void {
  for (const answer of streams.get(server) ?? []) answer.destroy();
}
