import { Controller, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { SUBDOMAINS, Question, type QuestionOf, Serves } from '#libs/contracts';
import { sendSearch } from '../searches/search-answer.js';
import { SubdomainsService } from './subdomains.service.js';

@Controller()
export class SubdomainsController {
  constructor(private readonly searches: SubdomainsService) {}

  @Serves(SUBDOMAINS)
  async list(
    @Question(SUBDOMAINS) question: QuestionOf<typeof SUBDOMAINS>,
    @Res() reply: FastifyReply,
  ) {
    await sendSearch(reply, await this.searches.answer(question));
  }
}
