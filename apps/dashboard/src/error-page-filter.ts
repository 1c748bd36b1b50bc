import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Logger, NotLoggedIn, type Problem, logFailure, toProblem } from '#libs/platform';
import { AccountDeletedProblem, type ProblemBodies } from '#libs/public-http';
import { logInPath } from './auth/way-back.js';
import { errorPage } from './pages/error-page.js';

@Catch()
export class ErrorPageFilter implements ExceptionFilter {
  constructor(
    private readonly bodies: ProblemBodies,
    private readonly logger: Logger,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const problem = toProblem(error);
    if (problem.status >= 500) {
      const fields = { err: problem.cause ?? problem, request_id: request.visitor.requestId };
      logFailure(this.logger, problem, request, fields);
    }
    this.refuse(problem, request, http.getResponse<FastifyReply>());
  }

  refuse(problem: Problem, request: FastifyRequest, reply: FastifyReply): void {
    const { requestId } = request.visitor;
    // If a file cannot be created, the browser must show the error page, not save it as the file.
    void reply.status(problem.status).removeHeader('content-disposition');
    if (problem.retryAfterSeconds !== undefined) {
      void reply.header('retry-after', String(problem.retryAfterSeconds));
    }
    if (isCall(request)) {
      const body = this.bodies.render(problem, { requestId, path: request.url });
      void reply.type('application/problem+json; charset=utf-8').send(Buffer.from(body, 'latin1'));
    } else if (problem instanceof NotLoggedIn) {
      // Without a session, a page redirects to the log-in. Neither a form nor a download is repeated afterwards.
      const isPage = request.method === 'GET' && !request.url.startsWith('/api/');
      void reply.redirect(logInPath(isPage ? request.url : '/'), 303);
    } else if (problem instanceof AccountDeletedProblem) {
      // A deleted account gets the page that restores it.
      void reply.redirect('/', 303);
    } else {
      void reply.type('text/html; charset=utf-8').send(errorPage(problem, requestId).text);
    }
  }
}

/**
 * Whether the request comes from a script or a machine rather than from a browser that follows a link, such as a link
 * to a download. Browsers mark links in `Sec-Fetch-Mode`.
 */
const isCall = ({ url, headers, routeOptions }: FastifyRequest) =>
  (url.startsWith('/api/') && headers['sec-fetch-mode'] !== 'navigate') ||
  routeOptions.config?.signed !== undefined;
