import { Body, Controller, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { newestVersion } from '#libs/contracts';
import { AccountId, AllowCallers, NotFound, monotonicMs } from '#libs/platform';
import { AuthCache } from '../auth-cache/auth-cache.js';
import { type Reply, RequestContext } from '../context/request-context.js';
import { RequestPath } from '../request/request-path.js';
import { ApiPaths } from '../routes/api-paths.js';
import type { ApiRoute } from '../routes/api-route.js';
import { AskedQuestion } from './questions.dto.js';

@Controller()
@AllowCallers('dashboard')
export class QuestionsController {
  private readonly routes: ReadonlyMap<string, ApiRoute>;

  constructor(
    paths: ApiPaths,
    private readonly authCache: AuthCache,
    private readonly requestPath: RequestPath,
  ) {
    this.routes = new Map(
      paths.routes.filter(canBeAsked).map((route) => [route.operation.name, route]),
    );
  }

  /**
   * Answers as if a key of the account were used: with the same limits, credits and request log. @throws NotFound for
   * an operation that `canBeAsked` excludes, such as a transfer.
   */
  @Post('internal/questions')
  ask(
    @AccountId() accountId: string,
    @Body() { operation, query, body, environment }: AskedQuestion,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): void {
    const route = this.routes.get(operation);
    if (!route) throw new NotFound();
    const caller = this.authCache.owner(accountId, environment);
    const context = new RequestContext(request.raw, replyOf(reply), route, monotonicMs());
    this.requestPath.ask(context, { query, body, caller });
  }
}

/**
 * Whether the dashboard may make such requests. It may not for superseded versions, transfers, paths with parameters,
 * or operations without a key.
 */
function canBeAsked({ operation, version, kind, path }: ApiRoute): boolean {
  const isNewest = version === newestVersion(operation);
  return isNewest && operation.access.kind === 'key' && kind === 'answer' && !path.includes('{');
}

const RETRY_AFTER = /^Retry-After: (\d+)\r$/m;

/**
 * Returns a response for the dashboard, which needs only the body and the time to wait. The API's other headers are for
 * API clients.
 */
function replyOf(reply: FastifyReply): Reply {
  const sendWhole: Reply['sendWhole'] = (status, lines, body) => {
    const [, seconds] = RETRY_AFTER.exec(lines) ?? [];
    if (seconds !== undefined) void reply.header('retry-after', seconds);
    void reply.status(status).type('application/json').send(Buffer.from(body, 'latin1'));
  };
  return { sendWhole, sendLast: sendWhole };
}
