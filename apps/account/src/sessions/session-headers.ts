import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { map } from 'rxjs';

/** An answer that begins the visitor's session with a token, or ends it. */
export class SessionAnswer<T> {
  constructor(
    readonly body: T,
    readonly token: string | null,
    /** By which the browser will be known; see `people/device-token.ts`. */
    readonly deviceToken?: string,
  ) {}
}

/** Tells the dashboard, which alone knows cookies, by `x-set-session`, `x-clear-session`, `x-set-device`. */
@Injectable()
export class SessionHeaders implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler) {
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    return next.handle().pipe(
      map((answer: unknown) => {
        if (!(answer instanceof SessionAnswer)) return answer;
        if (answer.token === null) void reply.header('x-clear-session', '1');
        else void reply.header('x-set-session', answer.token);
        if (answer.deviceToken) void reply.header('x-set-device', answer.deviceToken);
        return answer.body as unknown;
      }),
    );
  }
}
