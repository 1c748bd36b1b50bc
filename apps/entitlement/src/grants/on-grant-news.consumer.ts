import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import {
  AccountRegistered,
  type EventEnvelope,
  PaymentConfirmed,
  SubscriptionChanged,
} from '#libs/contracts';
import { Transaction } from '#libs/database';
import { Consumes } from '#libs/messaging';
import { GrantsService } from './grants.service.js';

/** Handles the events that grant credits or change when they end. */
@Controller()
export class OnGrantNewsConsumer {
  constructor(private readonly grants: GrantsService) {}

  @Consumes(AccountRegistered)
  async handleRegistered(
    @Payload() { key, data }: EventEnvelope<AccountRegistered>,
    @Ctx() transaction: Transaction,
  ): Promise<void> {
    await this.grants.grantTrial(transaction, key, data.trialClaim);
  }

  @Consumes(PaymentConfirmed)
  async handlePayment(
    @Payload() { key, data }: EventEnvelope<PaymentConfirmed>,
    @Ctx() transaction: Transaction,
  ): Promise<void> {
    await this.grants.grantPayment(transaction, key, data);
  }

  @Consumes(SubscriptionChanged)
  async handleSubscription(
    @Payload() { key, data }: EventEnvelope<SubscriptionChanged>,
    @Ctx() transaction: Transaction,
  ): Promise<void> {
    await this.grants.followSubscription(transaction, key, data);
  }
}
