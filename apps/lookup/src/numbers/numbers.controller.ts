import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ASN_WHOIS, IP_WHOIS, Question, type QuestionOf } from '#libs/contracts';
import { AllowCallers } from '#libs/platform';
import { AskedBy } from '../answers/asked-by.js';
import { sendAnswer } from '../answers/data-answer.js';
import { NumbersService } from './numbers.service.js';

@Controller('/internal')
@AllowCallers('gateway')
export class NumbersController {
  constructor(private readonly numbers: NumbersService) {}

  @Get('/ip-whois')
  async ip(
    @Question(IP_WHOIS) question: QuestionOf<typeof IP_WHOIS>,
    @AskedBy() askedBy: AskedBy,
    @Res() reply: FastifyReply,
  ) {
    await sendAnswer(reply, async (signal) => this.numbers.ip(question, { ...askedBy, signal }));
  }

  @Get('/asn-whois')
  async asn(
    @Question(ASN_WHOIS) question: QuestionOf<typeof ASN_WHOIS>,
    @AskedBy() askedBy: AskedBy,
    @Res() reply: FastifyReply,
  ) {
    await sendAnswer(reply, async (signal) => this.numbers.asn(question, { ...askedBy, signal }));
  }
}
