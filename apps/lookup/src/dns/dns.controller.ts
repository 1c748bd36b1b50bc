import { Body, Controller, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import {
  BulkHosts,
  DNS_BULK,
  DNS_LIVE,
  DNS_PTR,
  Question,
  type QuestionOf,
  Serves,
} from '#libs/contracts';
import { AskedBy } from '../answers/asked-by.js';
import { sendAnswer } from '../answers/data-answer.js';
import { sendItems } from '../answers/item-answers.js';
import { DnsService } from './dns.service.js';

@Controller()
export class DnsController {
  constructor(private readonly dns: DnsService) {}

  @Serves(DNS_LIVE)
  async live(
    @Question(DNS_LIVE) question: QuestionOf<typeof DNS_LIVE>,
    @AskedBy() askedBy: AskedBy,
    @Res() reply: FastifyReply,
  ) {
    await sendAnswer(reply, async (signal) => this.dns.live(question, { ...askedBy, signal }));
  }

  @Serves(DNS_PTR)
  async namesOf(
    @Question(DNS_PTR) question: QuestionOf<typeof DNS_PTR>,
    @AskedBy() askedBy: AskedBy,
    @Res() reply: FastifyReply,
  ) {
    await sendAnswer(reply, async (signal) => this.dns.namesOf(question, { ...askedBy, signal }));
  }

  @Serves(DNS_BULK)
  async several(
    @Question(DNS_BULK) question: QuestionOf<typeof DNS_BULK>,
    @Body() hosts: BulkHosts,
    @AskedBy() { asker }: AskedBy,
    @Res() reply: FastifyReply,
  ) {
    await sendItems(reply, this.dns.questions(hosts, question, asker));
  }
}
