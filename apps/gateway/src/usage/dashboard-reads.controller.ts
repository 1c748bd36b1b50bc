import { Controller, Get } from '@nestjs/common';
import {
  ACCOUNT_USAGE,
  type KeyUsageAnswer,
  Question,
  type QuestionOf,
  REQUESTS,
  type RequestsAnswer,
  Serves,
  type UsageAnswer,
  type UsageOverview,
} from '#libs/contracts';
import { AccountExports, Database } from '#libs/database';
import { AccountId, AllowCallers } from '#libs/platform';
import { EXPORTED_TABLES } from '../request-log/exported-tables.js';
import { RequestsService } from './requests.service.js';
import { UsageService } from './usage.service.js';

/** Some 300 kB in JSON. */
const DOWNLOAD_ROWS = 1_000;

@Controller()
@AllowCallers('dashboard')
export class DashboardReadsController {
  private readonly exports: AccountExports;

  constructor(
    private readonly usages: UsageService,
    private readonly requests: RequestsService,
    database: Database,
  ) {
    this.exports = new AccountExports(database, EXPORTED_TABLES);
  }

  @Get('internal/usage')
  async usage(
    @AccountId() accountId: string,
    @Question(ACCOUNT_USAGE) days: QuestionOf<typeof ACCOUNT_USAGE>,
  ): Promise<UsageAnswer> {
    return this.usages.usage(accountId, days);
  }

  @Get('internal/usage/keys')
  async usageByKey(
    @AccountId() accountId: string,
    @Question(ACCOUNT_USAGE) days: QuestionOf<typeof ACCOUNT_USAGE>,
  ): Promise<KeyUsageAnswer> {
    return this.usages.usageByKey(accountId, days);
  }

  @Get('internal/usage/overview')
  async overview(@AccountId() accountId: string): Promise<UsageOverview> {
    return this.usages.overview(accountId);
  }

  @Serves(REQUESTS)
  async list(
    @AccountId() accountId: string,
    @Question(REQUESTS) question: QuestionOf<typeof REQUESTS>,
  ): Promise<RequestsAnswer> {
    return this.requests.list(question, accountId);
  }

  /** Lists requests in long pages, because a download has many rows. @throws the errors of `list`. */
  @Get('internal/requests/download')
  async download(
    @AccountId() accountId: string,
    @Question(REQUESTS) question: QuestionOf<typeof REQUESTS>,
  ): Promise<RequestsAnswer> {
    return this.requests.list({ ...question, page_size: DOWNLOAD_ROWS }, accountId);
  }

  @Get('internal/export')
  export(@AccountId() accountId: string) {
    return this.exports.file(accountId);
  }
}
