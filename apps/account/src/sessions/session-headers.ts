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
  ) {}
}

/** Tells the gateway, which alone knows cookies, by `x-set-session` and `x-clear-session`. */
@Injectable()
export class SessionHeaders implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler) {
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    return next.handle().pipe(
      map((answer: unknown) => {
        if (!(answer instanceof SessionAnswer)) return answer;
        if (answer.token === null) void reply.header('x-clear-session', '1');
        else void reply.header('x-set-session', answer.token);
        return answer.body as unknown;
      }),
    );
  }
}
