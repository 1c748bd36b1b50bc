import { Body, Controller, Get, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { BulkNames, Question, type QuestionOf, WHOIS_BULK, WHOIS_LIVE } from '#libs/contracts';
import { AllowCallers } from '#libs/platform';
import { AskedBy } from '../answers/asked-by.js';
import { sendAnswer } from '../answers/data-answer.js';
import { sendItems } from '../answers/item-answers.js';
import { BulkService } from './bulk.service.js';
import { LiveService } from './live.service.js';

@Controller('/internal/whois')
@AllowCallers('gateway', 'worker')
export class LiveController {
  constructor(
    private readonly live: LiveService,
    private readonly bulk: BulkService,
  ) {}

  @Get('/live')
  async whois(
    @Question(WHOIS_LIVE) question: QuestionOf<typeof WHOIS_LIVE>,
    @AskedBy() askedBy: AskedBy,
    @Res() reply: FastifyReply,
  ) {
    await sendAnswer(reply, async (signal) =>
      this.live.answer(question.domainName, question, { ...askedBy, signal }),
    );
  }

  @Post('/bulk')
  async several(
    @Question(WHOIS_BULK) question: QuestionOf<typeof WHOIS_BULK>,
    @Body() { domainNames }: BulkNames,
    @AskedBy() { asker }: AskedBy,
    @Res() reply: FastifyReply,
  ) {
    await sendItems(reply, this.bulk.questions(domainNames, question, asker));
  }
}
