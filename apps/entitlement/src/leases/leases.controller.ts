import { Body, Controller, Post } from '@nestjs/common';
import type { LeaseAnswer, SettleAnswer } from '#libs/contracts';
import { AccountId, AllowCallers } from '#libs/platform';
import { AcquireLeaseRequest, CloseLeaseRequest, SettleLeasesRequest } from './leases.dto.js';
import { LeasesService } from './leases.service.js';

@Controller('/internal/leases')
@AllowCallers('gateway')
export class LeasesController {
  constructor(private readonly leases: LeasesService) {}

  @Post()
  async acquire(
    @AccountId() accountId: string,
    @Body() body: AcquireLeaseRequest,
  ): Promise<LeaseAnswer> {
    return this.leases.acquire({ accountId, ...body });
  }

  @Post('/settle')
  async settle(@Body() body: SettleLeasesRequest): Promise<SettleAnswer> {
    return this.leases.settle(body.gatewayId, body.leases);
  }

  @Post('/close')
  async close(@AccountId() accountId: string, @Body() body: CloseLeaseRequest): Promise<void> {
    await this.leases.close({ accountId, ...body });
  }
}
