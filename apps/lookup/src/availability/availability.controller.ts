import { Body, Controller, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import {
  AVAILABILITY,
  AVAILABILITY_BULK,
  AvailabilityNames,
  Question,
  type QuestionOf,
  Serves,
} from '#libs/contracts';
import { AskedBy } from '../answers/asked-by.js';
import { sendAnswer } from '../answers/data-answer.js';
import { sendItems } from '../answers/item-answers.js';
import { selected } from '../serializers/field-selection.js';
import { AvailabilityService } from './availability.service.js';

@Controller()
export class AvailabilityController {
  constructor(private readonly availability: AvailabilityService) {}

  @Serves(AVAILABILITY)
  async one(
    @Question(AVAILABILITY) question: QuestionOf<typeof AVAILABILITY>,
    @AskedBy() askedBy: AskedBy,
    @Res() reply: FastifyReply,
  ) {
    await sendAnswer(reply, async (signal) => {
      const found = await this.availability.one(question, { ...askedBy, signal });
      const serving = { servedFrom: 'live', ageSeconds: 0 } as const;
      const body = selected({ status: true, ...found.body }, question.fields);
      return { outcome: 'delivered', serving, body, chargedItems: found.chargedItems };
    });
  }

  @Serves(AVAILABILITY_BULK)
  async several(
    @Question(AVAILABILITY_BULK) question: QuestionOf<typeof AVAILABILITY_BULK>,
    @Body() names: AvailabilityNames,
    @AskedBy() { asker }: AskedBy,
    @Res() reply: FastifyReply,
  ) {
    await sendItems(reply, this.availability.several(names, question, asker));
  }
}
