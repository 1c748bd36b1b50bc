import { Controller, Get, Headers, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { AllowCallers, crashPoint } from '#libs/platform';
import type { LiveAnswer } from './live-answer.js';
import { LiveQuery } from './live.dto.js';
import { LiveService } from './live.service.js';

@Controller('/internal/whois')
@AllowCallers('gateway', 'worker')
export class LiveController {
  constructor(private readonly live: LiveService) {}

  @Get('/live')
  async whois(
    @Query() query: LiveQuery,
    @Headers('x-repeat') repeat: string | undefined,
    @Res() reply: FastifyReply,
  ) {
    send(reply, await this.live.answer(query, repeat === '1'));
  }
}

/** Past Nest's serialisation: the body is finished text. */
function send(reply: FastifyReply, { status, headers, body }: LiveAnswer): void {
  crashPoint('lookup.before-answer');
  void reply.status(status).headers(headers).type('application/json; charset=utf-8').send(body);
}
