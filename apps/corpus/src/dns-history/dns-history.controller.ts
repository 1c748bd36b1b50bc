import { Controller, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { DNS_HISTORICAL, Question, type QuestionOf, Serves } from '#libs/contracts';
import { sendSearch } from '../searches/search-answer.js';
import { DnsHistoryService } from './dns-history.service.js';

@Controller()
export class DnsHistoryController {
  constructor(private readonly history: DnsHistoryService) {}

  @Serves(DNS_HISTORICAL)
  async list(
    @Question(DNS_HISTORICAL) question: QuestionOf<typeof DNS_HISTORICAL>,
    @Res() reply: FastifyReply,
  ) {
    await sendSearch(reply, await this.history.answer(question));
  }
}
