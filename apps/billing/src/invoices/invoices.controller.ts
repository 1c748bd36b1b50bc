import { Controller, Param, StreamableFile } from '@nestjs/common';
import { INVOICES, INVOICE_PDF, INVOICE_REGENERATE, Serves } from '#libs/contracts';
import { AccountId } from '#libs/platform';
import { OwnInvoicesService } from './own-invoices.service.js';

/** The customer's invoices, on behalf of a session that the gateway has checked. */
@Controller()
export class InvoicesController {
  constructor(private readonly invoices: OwnInvoicesService) {}

  @Serves(INVOICES)
  list(@AccountId() accountId: string) {
    return this.invoices.list(accountId);
  }

  @Serves(INVOICE_PDF)
  async pdf(@AccountId() accountId: string, @Param('id') id: string) {
    const { name, pdf } = await this.invoices.pdf(accountId, id);
    return new StreamableFile(pdf, {
      type: 'application/pdf',
      length: pdf.length,
      disposition: `attachment; filename="${name}"`,
    });
  }

  @Serves(INVOICE_REGENERATE)
  regenerate(@AccountId() accountId: string, @Param('id') id: string) {
    return this.invoices.regenerate(accountId, id);
  }
}
