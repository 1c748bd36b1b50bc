import { Body, Controller, Post } from '@nestjs/common';
import type { LeaseAnswer, SettleAnswer } from '#libs/contracts';
import { AccountId, AllowCallers } from '#libs/platform';
import { LeaseBookingsService } from './lease-bookings.service.js';
import { AcquireLeaseRequest, CloseLeasesRequest, SettleLeasesRequest } from './leases.dto.js';
import { LeasesService } from './leases.service.js';

@Controller('/internal/leases')
@AllowCallers('gateway')
export class LeasesController {
  constructor(
    private readonly leases: LeasesService,
    private readonly bookings: LeaseBookingsService,
  ) {}

  @Post()
  async acquire(
    @AccountId() accountId: string,
    @Body() body: AcquireLeaseRequest,
  ): Promise<LeaseAnswer> {
    return this.leases.acquire({ accountId, ...body });
  }

  @Post('/settle')
  async settle(@Body() body: SettleLeasesRequest): Promise<SettleAnswer> {
    const { gatewayId, leases, accounts } = body;
    const { answer, late } = await this.leases.settle(gatewayId, leases, accounts);
    await this.bookings.book('settle', late);
    return answer;
  }

  @Post('/close')
  async close(@Body() body: CloseLeasesRequest): Promise<void> {
    await this.bookings.book('close', body.leases);
  }
}
