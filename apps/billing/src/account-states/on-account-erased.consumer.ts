import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { AccountErased, type EventEnvelope } from '#libs/contracts';
import type { Transaction } from '#libs/database';
import { MailOutbox } from '#libs/mail';
import { Consumes } from '#libs/messaging';
import { CancellationReasonsService } from '../cancellation-reasons/cancellation-reasons.service.js';
import { AccountStatesService } from './account-states.service.js';

@Controller()
export class OnAccountErasedConsumer {
  constructor(
    private readonly accounts: AccountStatesService,
    private readonly mails: MailOutbox,
    private readonly reasons: CancellationReasonsService,
  ) {}

  @Consumes(AccountErased)
  async handle(
    @Payload() { key, data }: EventEnvelope<AccountErased>,
    @Ctx() transaction: Transaction,
  ): Promise<void> {
    const at = new Date(data.erasedAt);
    await this.accounts.change(transaction, key, { state: 'erased', at });
    await this.mails.forget(transaction, key);
    await this.reasons.forget(transaction, key);
  }
}
