import { Controller, Param, StreamableFile, UseGuards } from '@nestjs/common';
import {
  INVOICES,
  INVOICE_PDF,
  INVOICE_REGENERATE,
  Pages,
  Question,
  type QuestionOf,
  Serves,
} from '#libs/contracts';
import { AccountId } from '#libs/platform';
import { AccountPace } from '../pace/account-pace.js';
import { OwnInvoicesService } from './own-invoices.service.js';

@Controller()
export class InvoicesController {
  constructor(
    private readonly invoices: OwnInvoicesService,
    private readonly pages: Pages,
  ) {}

  @Serves(INVOICES)
  list(@AccountId() accountId: string, @Question(INVOICES) question: QuestionOf<typeof INVOICES>) {
    return this.invoices.list(accountId, this.pages.asked(INVOICES, question), question);
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
  @UseGuards(AccountPace)
  regenerate(@AccountId() accountId: string, @Param('id') id: string) {
    return this.invoices.regenerate(accountId, id);
  }
}
