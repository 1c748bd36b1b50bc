import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { type EventEnvelope, PaymentConfirmed } from '#libs/contracts';
import { Transaction } from '#libs/database';
import { Consumes } from '#libs/messaging';
import { GrantsService } from './grants.service.js';

@Controller()
export class OnPaymentConfirmedConsumer {
  constructor(private readonly grants: GrantsService) {}

  @Consumes(PaymentConfirmed)
  async handle(
    @Payload() { key, data }: EventEnvelope<PaymentConfirmed>,
    @Ctx() transaction: Transaction,
  ): Promise<void> {
    await this.grants.grantPayment(transaction, key, data);
  }
}
