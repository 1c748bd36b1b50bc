import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
import type { ProcessorName } from '../processors/payment-processor.js';

export interface ProcessorObject {
  processor: ProcessorName;
  externalId: string;
}

@Injectable()
export class CallbackOwnersMaintenanceRepository {
  async set(
    transaction: Transaction,
    { processor, externalId }: ProcessorObject,
    accountId: string,
  ): Promise<void> {
    await transaction.execute(
      `update callbacks set account_id = $3
       where processor = $1 and external_id = $2 and account_id is null`,
      [processor, externalId, accountId],
    );
  }
}
