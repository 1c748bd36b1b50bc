import { Controller, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { WHOIS_REVERSE, Question, type QuestionOf, Serves } from '#libs/contracts';
import { sendSearch } from '../searches/search-answer.js';
import { ReverseWhoisService } from './reverse-whois.service.js';

@Controller()
export class ReverseWhoisController {
  constructor(private readonly searches: ReverseWhoisService) {}

  @Serves(WHOIS_REVERSE)
  async list(
    @Question(WHOIS_REVERSE) question: QuestionOf<typeof WHOIS_REVERSE>,
    @Res() reply: FastifyReply,
  ) {
    await sendSearch(reply, await this.searches.answer(question));
  }
}
