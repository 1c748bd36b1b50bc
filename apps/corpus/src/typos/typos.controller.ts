import { Body, Controller, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import {
  OUTCOME_HEADER,
  Question,
  type QuestionOf,
  SOURCE_HEADER,
  Serves,
  TYPOS,
  TYPO_SCORES,
  TypoCandidates,
} from '#libs/contracts';
import { sendSearch } from '../searches/search-answer.js';
import { typoScores } from './typo-scores.js';
import { TyposService } from './typos.service.js';

@Controller()
export class TyposController {
  constructor(private readonly searches: TyposService) {}

  @Serves(TYPOS)
  async list(@Question(TYPOS) question: QuestionOf<typeof TYPOS>, @Res() reply: FastifyReply) {
    await sendSearch(reply, await this.searches.answer(question));
  }

  @Serves(TYPO_SCORES)
  async scores(@Body() candidates: TypoCandidates, @Res() reply: FastifyReply) {
    const { isFixture, body } = await typoScores(candidates);
    const source = isFixture ? 'fixture' : 'live';
    void reply
      .status(200)
      .headers({ [OUTCOME_HEADER]: 'delivered', [SOURCE_HEADER]: source })
      .send(body);
  }
}
