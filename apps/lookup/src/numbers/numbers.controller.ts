import { Controller, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ASN_WHOIS, IP_WHOIS, Question, type QuestionOf, Serves } from '#libs/contracts';
import { AskedBy } from '../answers/asked-by.js';
import { sendAnswer } from '../answers/data-answer.js';
import { NumbersService } from './numbers.service.js';

@Controller()
export class NumbersController {
  constructor(private readonly numbers: NumbersService) {}

  @Serves(IP_WHOIS)
  async ip(
    @Question(IP_WHOIS) question: QuestionOf<typeof IP_WHOIS>,
    @AskedBy() askedBy: AskedBy,
    @Res() reply: FastifyReply,
  ) {
    await sendAnswer(reply, async (signal) => this.numbers.ip(question, { ...askedBy, signal }));
  }

  @Serves(ASN_WHOIS)
  async asn(
    @Question(ASN_WHOIS) question: QuestionOf<typeof ASN_WHOIS>,
    @AskedBy() askedBy: AskedBy,
    @Res() reply: FastifyReply,
  ) {
    await sendAnswer(reply, async (signal) => this.numbers.asn(question, { ...askedBy, signal }));
  }
}
