import { Controller, Get, HttpCode, Param, Post, StreamableFile } from '@nestjs/common';
import { AccountId, AllowCallers } from '#libs/platform';
import { OwnInvoicesService } from './own-invoices.service.js';

/** The customer's invoices, on behalf of a session that the gateway has checked. */
@Controller('internal/invoices')
@AllowCallers('gateway')
export class InvoicesController {
  constructor(private readonly invoices: OwnInvoicesService) {}

  @Get()
  list(@AccountId() accountId: string) {
    return this.invoices.list(accountId);
  }

  @Get(':id/pdf')
  async pdf(@AccountId() accountId: string, @Param('id') id: string) {
    const { name, pdf } = await this.invoices.pdf(accountId, id);
    return new StreamableFile(pdf, {
      type: 'application/pdf',
      length: pdf.length,
      disposition: `attachment; filename="${name}"`,
    });
  }

  @Post(':id/regenerate')
  @HttpCode(200)
  regenerate(@AccountId() accountId: string, @Param('id') id: string) {
    return this.invoices.regenerate(accountId, id);
  }
}
