import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import {
  AccountDeleted,
  AccountErased,
  AccountRestored,
  AccountSuspensionChanged,
  type EventEnvelope,
} from '#libs/contracts';
import type { Transaction } from '#libs/database';
import { MailOutbox } from '#libs/mail';
import { Consumes } from '#libs/messaging';
import { CancellationReasonsService } from '../cancellation-reasons/cancellation-reasons.service.js';
import { AccountStatesService } from './account-states.service.js';

@Controller()
export class OnAccountNewsConsumer {
  constructor(
    private readonly accounts: AccountStatesService,
    private readonly mails: MailOutbox,
    private readonly reasons: CancellationReasonsService,
  ) {}

  @Consumes(AccountDeleted)
  async handleDeleted(
    @Payload() { key, data }: EventEnvelope<AccountDeleted>,
    @Ctx() transaction: Transaction,
  ): Promise<void> {
    const at = new Date(data.deletedAt);
    await this.accounts.change(transaction, key, { state: 'deleted', at });
  }

  @Consumes(AccountRestored)
  async handleRestored(
    @Payload() { key, data }: EventEnvelope<AccountRestored>,
    @Ctx() transaction: Transaction,
  ): Promise<void> {
    const at = new Date(data.restoredAt);
    await this.accounts.change(transaction, key, { state: 'active', at });
  }

  @Consumes(AccountErased)
  async handleErased(
    @Payload() { key, data }: EventEnvelope<AccountErased>,
    @Ctx() transaction: Transaction,
  ): Promise<void> {
    const at = new Date(data.erasedAt);
    await this.accounts.change(transaction, key, { state: 'erased', at });
    await this.mails.forget(transaction, key);
    await this.reasons.forget(transaction, key);
  }

  @Consumes(AccountSuspensionChanged)
  async handleSuspensionChanged(
    @Payload() { key, data }: EventEnvelope<AccountSuspensionChanged>,
    @Ctx() transaction: Transaction,
  ): Promise<void> {
    const { isSuspended, changedAt } = data;
    const at = new Date(changedAt);
    await this.accounts.changeSuspension(transaction, key, { isSuspended, at });
  }
}
