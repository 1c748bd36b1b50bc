import { Controller, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Question, type QuestionOf, REPUTATION, Serves } from '#libs/contracts';
import { AskedBy } from '../answers/asked-by.js';
import { sendAnswer } from '../answers/data-answer.js';
import { ReputationService } from './reputation.service.js';

@Controller()
export class ReputationController {
  constructor(private readonly reputation: ReputationService) {}

  @Serves(REPUTATION)
  async one(
    @Question(REPUTATION) question: QuestionOf<typeof REPUTATION>,
    @AskedBy() askedBy: AskedBy,
    @Res() reply: FastifyReply,
  ) {
    await sendAnswer(reply, async (signal) =>
      this.reputation.answer(question, { ...askedBy, signal }),
    );
  }
}
