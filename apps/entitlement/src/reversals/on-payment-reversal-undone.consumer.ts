import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { type EventEnvelope, PaymentReversalUndone } from '#libs/contracts';
import { Transaction } from '#libs/database';
import { Consumes } from '#libs/messaging';
import { ReversalsService } from './reversals.service.js';

@Controller()
export class OnPaymentReversalUndoneConsumer {
  constructor(private readonly reversals: ReversalsService) {}

  @Consumes(PaymentReversalUndone)
  async handle(
    @Payload() { key, data }: EventEnvelope<PaymentReversalUndone>,
    @Ctx() transaction: Transaction,
  ): Promise<void> {
    await this.reversals.undo(transaction, key, data);
  }
}
