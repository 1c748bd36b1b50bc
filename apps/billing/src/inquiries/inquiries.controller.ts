import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import type { AccountMatch, SetAsideMoney } from '#libs/contracts';
import { AllowCallers } from '#libs/platform';
import { FindAccountsRequest } from './inquiries.dto.js';
import { InquiriesService } from './inquiries.service.js';

/** What operators ask about the money of an account. */
@Controller('internal/operator')
@AllowCallers('cli')
export class InquiriesController {
  constructor(private readonly inquiries: InquiriesService) {}

  @Post('accounts/matches')
  @HttpCode(200)
  find(@Body() { text }: FindAccountsRequest): Promise<AccountMatch[]> {
    return this.inquiries.find(text);
  }

  @Get('set-aside')
  setAside(): Promise<SetAsideMoney[]> {
    return this.inquiries.setAside();
  }
}
