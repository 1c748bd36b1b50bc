import { Body, Controller, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import {
  BulkNames,
  Question,
  type QuestionOf,
  Serves,
  WHOIS_BULK,
  WHOIS_LIVE,
} from '#libs/contracts';
import { AskedBy } from '../answers/asked-by.js';
import { sendAnswer } from '../answers/data-answer.js';
import { sendItems } from '../answers/item-answers.js';
import { BulkService } from './bulk.service.js';
import { LiveService } from './live.service.js';

@Controller()
export class LiveController {
  constructor(
    private readonly live: LiveService,
    private readonly bulk: BulkService,
  ) {}

  @Serves(WHOIS_LIVE, 'worker')
  async whois(
    @Question(WHOIS_LIVE) question: QuestionOf<typeof WHOIS_LIVE>,
    @AskedBy() askedBy: AskedBy,
    @Res() reply: FastifyReply,
  ) {
    await sendAnswer(reply, async (signal) =>
      this.live.answer(question.domainName, question, { ...askedBy, signal }),
    );
  }

  @Serves(WHOIS_BULK, 'worker')
  async several(
    @Question(WHOIS_BULK) question: QuestionOf<typeof WHOIS_BULK>,
    @Body() { domainNames }: BulkNames,
    @AskedBy() { asker }: AskedBy,
    @Res() reply: FastifyReply,
  ) {
    await sendItems(reply, this.bulk.questions(domainNames, question, asker));
  }
}
