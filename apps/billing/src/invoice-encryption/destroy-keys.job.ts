import { Injectable } from '@nestjs/common';
import { type Job, Logger } from '#libs/platform';
import { InvoiceEncryptionService } from './invoice-encryption.service.js';
import { InvoiceKeysMaintenanceRepository } from './invoice-keys.repository.js';

/**
 * Makes the PDFs of invoices and the buyers' data unreadable when the legal retention period ends. Numbers and amounts
 * stay.
 */
@Injectable()
export class DestroyKeysJob implements Job {
  readonly name = 'destroy-invoice-keys';

  constructor(
    private readonly data: InvoiceEncryptionService,
    private readonly keys: InvoiceKeysMaintenanceRepository,
    private readonly logger: Logger,
  ) {}

  async runOnce(): Promise<void> {
    const { firstYearKept } = this.data;
    const destroyed = await this.keys.deleteBefore(firstYearKept);
    if (destroyed > 0) this.logger.log('invoice data destroyed', { destroyed, firstYearKept });
  }
}
