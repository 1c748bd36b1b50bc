import { Body, Controller, Get, Headers, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import {
  AVAILABILITY,
  AVAILABILITY_BULK,
  AvailabilityNames,
  CHARGED_ITEMS_HEADER,
  Question,
  type QuestionOf,
} from '#libs/contracts';
import { AllowCallers } from '#libs/platform';
import { answerOf, sendAnswer } from '../answers/data-answer.js';
import { sendItems } from '../answers/item-answers.js';
import { AvailabilityService } from './availability.service.js';

@Controller('/internal/availability')
@AllowCallers('gateway')
export class AvailabilityController {
  constructor(private readonly availability: AvailabilityService) {}

  @Get()
  async one(
    @Question(AVAILABILITY) question: QuestionOf<typeof AVAILABILITY>,
    @Headers('x-repeat') repeat: string | undefined,
    @Headers('x-account-id') asker: string | undefined,
    @Res() reply: FastifyReply,
  ) {
    await sendAnswer(reply, async (signal) => {
      const asking = { repeat: repeat === '1', asker, signal };
      const { body, chargedItems } = await this.availability.one(question, asking);
      const serving = { servedFrom: 'live', ageSeconds: 0 } as const;
      const answer = answerOf('delivered', serving, { status: true, ...body });
      answer.headers[CHARGED_ITEMS_HEADER] = String(chargedItems);
      return answer;
    });
  }

  @Post()
  async several(
    @Question(AVAILABILITY_BULK) question: QuestionOf<typeof AVAILABILITY_BULK>,
    @Body() names: AvailabilityNames,
    @Headers('x-account-id') asker: string | undefined,
    @Res() reply: FastifyReply,
  ) {
    await sendItems(reply, this.availability.several(names, question, asker));
  }
}
