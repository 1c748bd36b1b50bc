import { Body, Controller, Headers, HttpCode, Post } from '@nestjs/common';
import type { AccountMatch, AccountSummary } from '#libs/contracts';
import { AccountId, AllowCallers } from '#libs/platform';
import {
  FindAccountsRequest,
  OperatorOrderRequest,
  OperatorRequest,
  SuspensionRequest,
} from './operators.dto.js';
import { OperatorsService } from './operators.service.js';

/** Serves operators' calls about accounts. The calls use POST, so that no person's address is in a URL. */
@Controller('internal/operator/accounts')
@AllowCallers('cli')
export class OperatorsController {
  constructor(private readonly operators: OperatorsService) {}

  @Post('matches')
  @HttpCode(200)
  find(@Body() { text }: FindAccountsRequest): Promise<AccountMatch[]> {
    return this.operators.find(text);
  }

  @Post('inspect')
  @HttpCode(200)
  inspect(
    @AccountId() accountId: string,
    @Body() { operator }: OperatorRequest,
  ): Promise<AccountSummary> {
    return this.operators.inspect(accountId, { operator });
  }

  @Post('suspend')
  @HttpCode(200)
  suspend(@AccountId() accountId: string, @Body() { operator, reason }: SuspensionRequest) {
    return this.operators.suspend(accountId, { operator }, reason);
  }

  @Post('unsuspend')
  @HttpCode(200)
  unsuspend(@AccountId() accountId: string, @Body() { operator, reason }: SuspensionRequest) {
    return this.operators.unsuspend(accountId, { operator }, reason);
  }

  @Post('lift-second-factor')
  @HttpCode(200)
  lift(@AccountId() accountId: string, @Body() { operator, reason }: SuspensionRequest) {
    return this.operators.liftSecondFactor(accountId, { operator }, reason);
  }

  /**
   * Records an action that another service is about to perform, for one account or for all.
   * @throws NotFound for an unknown account.
   */
  @Post('orders')
  @HttpCode(204)
  note(@Headers('x-account-id') accountId: string | undefined, @Body() body: OperatorOrderRequest) {
    return this.operators.note(accountId, body);
  }
}
