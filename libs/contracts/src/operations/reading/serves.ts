import {
  type CallHandler,
  type ExecutionContext,
  HttpCode,
  type NestInterceptor,
  RequestMapping,
  RequestMethod,
  UseInterceptors,
  applyDecorators,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { tap } from 'rxjs';
import { AllowCallers, type ServiceName } from '#libs/platform';
import { listenerOf } from '../access.js';
import { DRY_RUN_PARAMETER, type Operation, hasDryRun } from '../operation.js';
import { linkHeaders } from '../paging/pages.js';
import type { Paging } from '../paging/paging-answer.js';

/**
 * The services that may call the dashboard's operations. During an upgrade, a gateway of release 0.1.0, which contains
 * the dashboard, runs beside newer owners.
 */
const OF_DASHBOARD: readonly ServiceName[] = ['dashboard', 'gateway'];

/**
 * Routes requests to a method of the owner's controller as a row of the table of operations says: at the row's path,
 * and with its status. The services whose public listeners have the row may call the method.
 * @param callers further services that may call it.
 */
export function Serves(row: Operation, ...callers: readonly ServiceName[]): MethodDecorator {
  const { method, owner, answers, access, parameters } = row;
  const [form] = answers;
  const isOfBoth = access.kind === 'key' && access.isAtDashboard;
  const isOfDashboard = isOfBoth || listenerOf(row) === 'dashboard';
  const forwarders = isOfDashboard ? OF_DASHBOARD : (['gateway'] as const);
  return applyDecorators(
    RequestMapping({
      method: RequestMethod[method],
      path: owner.path.replace(/\{(\w+)\}/g, ':$1'),
    }),
    HttpCode(('status' in form && form.status) || 200),
    AllowCallers(...forwarders, ...callers),
    ...(hasDryRun(row) ? [UseInterceptors(DryRunStatus)] : []),
    ...('cursor' in parameters ? [UseInterceptors(NextPageHeader)] : []),
  );
}

/** Reads a flag in any case, as `boolean` does. */
const isTrue = (text: unknown) => typeof text === 'string' && text.toLowerCase() === 'true';

/** Answers a dry run with status 200, because it creates nothing. */
class DryRunStatus implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler) {
    const http = context.switchToHttp();
    const { query } = http.getRequest<FastifyRequest<{ Querystring: Record<string, unknown> }>>();
    if (isTrue(query[DRY_RUN_PARAMETER])) void http.getResponse<FastifyReply>().status(200);
    return next.handle();
  }
}

/**
 * Passes the cursor of a list's next page to the gateway. A search sends its answer itself, with all headers, so that
 * nothing is left to do here.
 */
class NextPageHeader implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler<{ paging: Paging } | undefined>) {
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    return next.handle().pipe(
      tap((answer) => {
        if (answer) void reply.headers(linkHeaders(answer.paging));
      }),
    );
  }
}
