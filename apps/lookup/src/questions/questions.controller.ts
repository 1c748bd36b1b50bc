import { Body, Controller, Headers, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { AllowCallers, isId } from '#libs/platform';
import { goneSignal } from '../answers/data-answer.js';
import { QuestionsRequest } from './questions.dto.js';
import { QuestionsService } from './questions.service.js';

@Controller('internal/questions')
@AllowCallers('worker')
export class QuestionsController {
  constructor(private readonly questions: QuestionsService) {}

  /** A line of JSON for each name, as it is finished; the last one says that nothing is missing. */
  @Post()
  async ask(
    @Body() request: QuestionsRequest,
    @Headers('x-account-id') account: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const accountId = isId(account) ? account : undefined;
    const signal = goneSignal(reply);
    reply.hijack();
    const { raw } = reply;
    raw.writeHead(200, { 'content-type': 'application/x-ndjson' });
    await this.questions.answerAll({ request, accountId, signal }, (found) => {
      raw.write(`${JSON.stringify(found)}\n`);
    });
    if (!signal.aborted) raw.end('{"isLast":true}\n');
  }
}
