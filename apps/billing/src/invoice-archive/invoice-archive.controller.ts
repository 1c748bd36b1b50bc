import { Controller, StreamableFile } from '@nestjs/common';
import { INVOICE_ARCHIVE, Question, type QuestionOf, Serves } from '#libs/contracts';
import { AccountId } from '#libs/platform';
import { InvoiceArchiveService } from './invoice-archive.service.js';

@Controller()
export class InvoiceArchiveController {
  constructor(private readonly archive: InvoiceArchiveService) {}

  @Serves(INVOICE_ARCHIVE)
  async zip(
    @AccountId() accountId: string,
    @Question(INVOICE_ARCHIVE) question: QuestionOf<typeof INVOICE_ARCHIVE>,
  ) {
    return new StreamableFile(await this.archive.zip(accountId, question), {
      type: 'application/zip',
      disposition: 'attachment; filename="invoices.zip"',
    });
  }
}
