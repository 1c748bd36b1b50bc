import { Body, Controller, Get, Post } from '@nestjs/common';
import type { LeaseAnswer, SetAsideLease, SettleAnswer } from '#libs/contracts';
import { AccountId, AllowCallers } from '#libs/platform';
import { LeaseBookingsService } from './lease-bookings.service.js';
import { AcquireLeaseRequest, CloseLeasesRequest, SettleLeasesRequest } from './leases.dto.js';
import { LeasesService } from './leases.service.js';

@Controller('/internal')
@AllowCallers('gateway')
export class LeasesController {
  constructor(
    private readonly leases: LeasesService,
    private readonly bookings: LeaseBookingsService,
  ) {}

  @Post('/leases')
  async acquire(
    @AccountId() accountId: string,
    @Body() body: AcquireLeaseRequest,
  ): Promise<LeaseAnswer> {
    return this.leases.acquire({ accountId, ...body });
  }

  @Post('/leases/settle')
  async settle(@Body() body: SettleLeasesRequest): Promise<SettleAnswer> {
    const { gatewayId, leases, accounts } = body;
    const { answer, late } = await this.leases.settle(gatewayId, leases, accounts);
    await this.bookings.book('settle', late);
    return answer;
  }

  @Post('/leases/close')
  async close(@Body() body: CloseLeasesRequest): Promise<void> {
    await this.bookings.book('close', body.leases);
  }

  @Get('/operator/set-aside/leases')
  @AllowCallers('cli')
  async listSetAside(): Promise<SetAsideLease[]> {
    return this.bookings.listSetAside();
  }
}
