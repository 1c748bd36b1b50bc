import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { InvoiceIssued, type EventEnvelope } from '#libs/contracts';
import { Transaction } from '#libs/database';
import { Consumes } from '#libs/messaging';
import { DeliveriesService } from '../deliveries/deliveries.service.js';

@Controller()
export class OnInvoiceIssuedConsumer {
  constructor(private readonly deliveries: DeliveriesService) {}

  @Consumes(InvoiceIssued)
  async handle(
    @Payload() { id, key, data }: EventEnvelope<InvoiceIssued>,
    @Ctx() transaction: Transaction,
  ): Promise<void> {
    const { invoiceId, kind, number, revision } = data;
    await this.deliveries.publish(transaction, key, {
      id,
      type: 'invoice.issued',
      data: { id: invoiceId, kind, number, revision },
    });
  }
}
