import { Controller, Get } from '@nestjs/common';
import { AccountExports, Database } from '#libs/database';
import { AccountId, AllowCallers } from '#libs/platform';
import { EXPORTED_TABLES } from './exported-tables.js';

@Controller('internal/export')
@AllowCallers('dashboard', 'gateway')
export class ExportController {
  private readonly exports: AccountExports;

  constructor(database: Database) {
    this.exports = new AccountExports(database, EXPORTED_TABLES);
  }

  @Get()
  export(@AccountId() accountId: string) {
    return this.exports.file(accountId);
  }
}
