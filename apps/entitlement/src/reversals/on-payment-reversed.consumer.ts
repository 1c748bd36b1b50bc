import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { type EventEnvelope, PaymentReversalUndone, PaymentReversed } from '#libs/contracts';
import { Transaction } from '#libs/database';
import { Consumes } from '#libs/messaging';
import { ReversalsService } from './reversals.service.js';

@Controller()
export class OnPaymentReversedConsumer {
  constructor(private readonly reversals: ReversalsService) {}

  @Consumes(PaymentReversed)
  async handle(
    @Payload() { key, data }: EventEnvelope<PaymentReversed>,
    @Ctx() transaction: Transaction,
  ): Promise<void> {
    await this.reversals.reverse(transaction, key, data);
  }

  @Consumes(PaymentReversalUndone)
  async handleUndone(
    @Payload() { key, data }: EventEnvelope<PaymentReversalUndone>,
    @Ctx() transaction: Transaction,
  ): Promise<void> {
    await this.reversals.undo(transaction, key, data);
  }
}
