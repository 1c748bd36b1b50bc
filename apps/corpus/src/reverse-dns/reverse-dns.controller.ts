import { Controller, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { DNS_REVERSE, Question, type QuestionOf, Serves } from '#libs/contracts';
import { sendSearch } from '../searches/search-answer.js';
import { ReverseDnsService } from './reverse-dns.service.js';

@Controller()
export class ReverseDnsController {
  constructor(private readonly searches: ReverseDnsService) {}

  @Serves(DNS_REVERSE)
  async list(
    @Question(DNS_REVERSE) question: QuestionOf<typeof DNS_REVERSE>,
    @Res() reply: FastifyReply,
  ) {
    await sendSearch(reply, await this.searches.answer(question));
  }
}
