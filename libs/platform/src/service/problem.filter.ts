import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from '../logger.js';
import {
  DatabaseUnavailable,
  InternalError,
  InvalidRequest,
  NotFound,
  PayloadTooLarge,
  UnsupportedMediaType,
} from '../platform.errors.js';
import { Problem } from '../problem.js';
import { PROBLEM_CODE_HEADER, REFUSAL_HEADERS } from '../proper-requests.js';

/** The statuses of refused callers: not allowed, unknown, or with an invalid link. */
const REFUSED = new Set([401, 403, 410]);

/**
 * Turns any error of a route into a problem, the body that services send one another for errors. Refused callers and
 * this service's own failures are logged.
 */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(private readonly logger: Logger) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const problem = toProblem(error);
    const request = http.getRequest<FastifyRequest>();
    if (REFUSED.has(problem.status)) {
      const { method, routeOptions } = request;
      this.logger.info('refused', { code: problem.code, method, route: routeOptions.url });
    }
    const isOurs = !problem.retryAfterSeconds || problem instanceof DatabaseUnavailable;
    if (problem.status >= 500 && isOurs) {
      const fields = {
        err: problem.cause ?? problem,
        request_id: request.headers['x-request-id'],
      };
      logFailure(this.logger, problem, request, fields);
    }
    const reply = http.getResponse<FastifyReply>();
    if (problem.retryAfterSeconds !== undefined) {
      void reply.header('retry-after', String(problem.retryAfterSeconds));
    }
    if (request.method === 'HEAD') void reply.header(PROBLEM_CODE_HEADER, problem.code);
    void reply.status(problem.status).headers(REFUSAL_HEADERS).send(problem.toBody());
  }
}

/** Logs a failed request. Failures that result from load are logged about once a minute per route and text. */
export function logFailure(
  logger: Logger,
  problem: Problem,
  { method, url, routeOptions }: FastifyRequest,
  fields: object,
): void {
  const route = `${method} ${routeOptions.url ?? 'unknown route'}`;
  if (!problem.isOfLoad) logger.error(`${method} ${url.split('?')[0]} failed`, fields);
  else logger.sparsely('error', `${route} ${problem.message}`, `${route} failed`, fields);
}

/**
 * Converts any error to a Problem: a Problem stays as it is; of Nest's and Fastify's errors, 413, 415 and Nest's 404
 * keep their status, and every other 4xx becomes a 400; all other errors become a 500.
 */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof HttpException && error.getStatus() === 404) return new NotFound();
  const status = error instanceof HttpException ? error.getStatus() : statusOf(error);
  if (status === 413) return new PayloadTooLarge();
  if (status === 415) return new UnsupportedMediaType();
  if (status >= 400 && status < 500) {
    // The framework's own text is never used, because it may quote the input.
    return new InvalidRequest([{ field: 'body', message: 'is not valid JSON' }]);
  }
  return new InternalError(error);
}

function statusOf(error: unknown): number {
  const status = (error as { statusCode?: unknown } | null)?.statusCode;
  return typeof status === 'number' ? status : 500;
}
