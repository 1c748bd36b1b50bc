import { Body, Controller, Headers, HttpCode, Post } from '@nestjs/common';
import { type AuditLine, KEYS, type KeyAnswer, type ListedAccount, Pages } from '#libs/contracts';
import { AccountId, AllowCallers, NotFound, isId } from '#libs/platform';
import { INSTALLATION } from '../audit/audit-chain.js';
import { KeysService } from '../keys/keys.service.js';
import { AccountListMaintenanceRepository } from './account-list.repository.js';
import { AuditEntriesMaintenanceRepository } from './audit-entries.repository.js';
import { ListAccountsRequest, ListAuditRequest, RevokeKeyRequest } from './operators.dto.js';

@Controller('internal/operator')
@AllowCallers('cli')
export class AccountRecordsController {
  constructor(
    private readonly accounts: AccountListMaintenanceRepository,
    private readonly entries: AuditEntriesMaintenanceRepository,
    private readonly keys: KeysService,
    private readonly pages: Pages,
  ) {}

  @Post('accounts/list')
  @HttpCode(200)
  list(@Body() page: ListAccountsRequest): Promise<ListedAccount[]> {
    return this.accounts.list(page);
  }

  /**
   * Lists the audit entries of an account, or the installation's entries if no account is given.
   * @throws NotFound for a malformed id.
   */
  @Post('audit/entries')
  @HttpCode(200)
  listAudit(
    @Headers('x-account-id') accountId: string | undefined,
    @Body() page: ListAuditRequest,
  ): Promise<AuditLine[]> {
    if (accountId !== undefined && !isId(accountId)) throw new NotFound();
    return this.entries.list(accountId ?? INSTALLATION, page);
  }

  @Post('keys/list')
  @HttpCode(200)
  async listKeys(@AccountId() accountId: string): Promise<KeyAnswer[]> {
    const newest = this.pages.asked(KEYS, {});
    return (await this.keys.list(accountId, newest)).keys;
  }

  @Post('keys/revoke')
  @HttpCode(200)
  revokeKey(
    @AccountId() accountId: string,
    @Body() { operator, keyId }: RevokeKeyRequest,
  ): Promise<KeyAnswer> {
    return this.keys.revoke(accountId, keyId, { operator });
  }
}
