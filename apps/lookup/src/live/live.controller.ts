import { Controller, Get, Headers, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Question, type QuestionOf, WHOIS_LIVE } from '#libs/contracts';
import { AllowCallers } from '#libs/platform';
import { send } from '../answers/data-answer.js';
import { LiveService } from './live.service.js';

@Controller('/internal/whois')
@AllowCallers('gateway', 'worker')
export class LiveController {
  constructor(private readonly live: LiveService) {}

  @Get('/live')
  async whois(
    @Question(WHOIS_LIVE) question: QuestionOf<typeof WHOIS_LIVE>,
    @Headers('x-repeat') repeat: string | undefined,
    @Res() reply: FastifyReply,
  ) {
    send(reply, await this.live.answer(question, repeat === '1'));
  }
}
