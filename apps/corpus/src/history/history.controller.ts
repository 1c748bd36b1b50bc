import { Controller, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Question, type QuestionOf, Serves, WHOIS_HISTORY } from '#libs/contracts';
import { sendSearch } from '../searches/search-answer.js';
import { HistoryService } from './history.service.js';

@Controller()
export class HistoryController {
  constructor(private readonly history: HistoryService) {}

  @Serves(WHOIS_HISTORY)
  async list(
    @Question(WHOIS_HISTORY) question: QuestionOf<typeof WHOIS_HISTORY>,
    @Res() reply: FastifyReply,
  ) {
    await sendSearch(reply, await this.history.answer(question));
  }
}
