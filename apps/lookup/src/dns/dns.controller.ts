import { Controller, Get, Headers, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { DNS_LIVE, Question, type QuestionOf } from '#libs/contracts';
import { AllowCallers } from '#libs/platform';
import { send } from '../answers/data-answer.js';
import { DnsService } from './dns.service.js';

@Controller('/internal/dns')
@AllowCallers('gateway')
export class DnsController {
  constructor(private readonly dns: DnsService) {}

  @Get('/live')
  async live(
    @Question(DNS_LIVE) question: QuestionOf<typeof DNS_LIVE>,
    @Headers('x-repeat') repeat: string | undefined,
    @Res() reply: FastifyReply,
  ) {
    send(reply, await this.dns.live(question, repeat === '1'));
  }
}
