import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { AccountErased, type EventEnvelope } from '#libs/contracts';
import { Transaction } from '#libs/database';
import { Consumes } from '#libs/messaging';
import { KeptAnswers } from '../kept-answers/kept-answers.js';
import { RequestLogRepository } from './request-log.repository.js';

/**
 * Deletes the requests and answers of an erased account. The consumer is durable, so that this happens even if the
 * event arrives late.
 */
@Controller()
export class OnAccountErasedConsumer {
  constructor(
    private readonly log: RequestLogRepository,
    private readonly keptAnswers: KeptAnswers,
  ) {}

  @Consumes(AccountErased)
  async handle(
    @Payload() event: EventEnvelope<AccountErased>,
    @Ctx() transaction: Transaction,
  ): Promise<void> {
    await this.log.insertErasure(transaction, event.key);
    await this.keptAnswers.forget(transaction, event.key);
  }
}
