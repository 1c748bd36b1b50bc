import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { map } from 'rxjs';

/** An answer that starts the visitor's session with a token, or ends the session. */
export class SessionAnswer<T> {
  constructor(
    readonly body: T,
    readonly token: string | null,
    /** The cookie that identifies the browser; see `people/device-token.ts`. */
    readonly deviceToken?: string,
  ) {}
}

/** An answer that requires another step; the browser must send the answer's token with that step. */
export class StepAnswer<T> {
  constructor(
    readonly body: T,
    readonly stepToken: string,
  ) {}
}

/**
 * Sets headers for the dashboard, because only the dashboard uses cookies: `x-set-session`, `x-clear-session`,
 * `x-set-device`, `x-set-step`.
 */
@Injectable()
export class SessionHeaders implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler) {
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    return next.handle().pipe(
      map((answer: unknown) => {
        if (answer instanceof StepAnswer) {
          void reply.header('x-set-step', answer.stepToken);
          return answer.body as unknown;
        }
        if (!(answer instanceof SessionAnswer)) return answer;
        if (answer.token === null) void reply.header('x-clear-session', '1');
        else void reply.header('x-set-session', answer.token);
        if (answer.deviceToken) void reply.header('x-set-device', answer.deviceToken);
        return answer.body as unknown;
      }),
    );
  }
}
