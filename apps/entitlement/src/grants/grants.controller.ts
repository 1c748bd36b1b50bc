import { Body, Controller, Post } from '@nestjs/common';
import { BALANCE, type BalanceAnswer, Serves } from '#libs/contracts';
import { AccountId, AllowCallers } from '#libs/platform';
import { OperatorGrantRequest, OperatorRevocationRequest } from './grants.dto.js';
import { GrantsService } from './grants.service.js';

@Controller()
export class GrantsController {
  constructor(private readonly grants: GrantsService) {}

  @Serves(BALANCE, 'worker')
  async balance(@AccountId() accountId: string): Promise<BalanceAnswer> {
    return this.grants.balance(accountId);
  }

  @Post('/internal/operator/grants')
  @AllowCallers('cli')
  async grant(
    @AccountId() accountId: string,
    @Body() { adjustmentId, amount, reason, expiresAt }: OperatorGrantRequest,
  ): Promise<{ isNew: boolean }> {
    const end = expiresAt === undefined ? undefined : new Date(expiresAt);
    const adjustment = { id: adjustmentId, amount, reason, expiresAt: end };
    return { isNew: await this.grants.grantByOperator(accountId, adjustment) };
  }

  @Post('/internal/operator/revocations')
  @AllowCallers('cli')
  async revoke(
    @AccountId() accountId: string,
    @Body() { revocationId: id, amount, reason }: OperatorRevocationRequest,
  ): Promise<{ isNew: boolean; revoked: number }> {
    return this.grants.revokeByOperator(accountId, { id, amount, reason });
  }
}
