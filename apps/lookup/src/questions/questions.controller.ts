import { Body, Controller, Headers, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { AllowCallers, isId } from '#libs/platform';
import { goneSignal } from '../answers/data-answer.js';
import { QuestionsRequest } from './questions.dto.js';
import { QuestionsService } from './questions.service.js';

/** Answers within this time are sent together: separate writes would cost more than the answers. */
const TOGETHER_MS = 20;

@Controller('internal/questions')
@AllowCallers('worker')
export class QuestionsController {
  constructor(private readonly questions: QuestionsService) {}

  /**
   * Sends a line of JSON for each name as soon as its answer is ready; the last line confirms that nothing is missing.
   */
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
    let lines = '';
    const send = () => {
      if (lines !== '' && !signal.aborted) raw.write(lines);
      lines = '';
    };
    await this.questions.answerAll({ request, accountId, signal }, (found) => {
      if (lines === '') setTimeout(send, TOGETHER_MS);
      lines += `${JSON.stringify(found)}\n`;
    });
    if (!signal.aborted) raw.end(`${lines}{"isLast":true}\n`);
    lines = '';
  }
}
