import { Controller, Get } from '@nestjs/common';
import { AccountExports, Database, type DecryptColumn } from '#libs/database';
import { AccountId, AllowCallers } from '#libs/platform';
import { InvoiceEncryptionService } from '../invoice-encryption/invoice-encryption.service.js';
import { EXPORTED_TABLES } from './exported-tables.js';

@Controller('internal/export')
@AllowCallers('dashboard', 'gateway')
export class ExportController {
  private readonly exports: AccountExports;

  constructor(database: Database, invoiceData: InvoiceEncryptionService) {
    const decrypt: DecryptColumn = (encrypted, { year }, accountId) =>
      database.transaction(async (transaction) => {
        const of = { accountId, year: year as number };
        const decrypted = await invoiceData.decrypt(transaction, of, encrypted);
        return decrypted && (JSON.parse(decrypted.toString('utf8')) as unknown);
      });
    this.exports = new AccountExports(database, EXPORTED_TABLES, decrypt);
  }

  @Get()
  export(@AccountId() accountId: string) {
    return this.exports.file(accountId);
  }
}
