import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import type { AccountMatch } from '#libs/contracts';
import { AllowCallers } from '#libs/platform';
import { FindAccountsRequest } from './inquiries.dto.js';
import { InquiriesService } from './inquiries.service.js';

/** What operators ask about the money of an account. */
@Controller('internal/operator/accounts')
@AllowCallers('cli')
export class InquiriesController {
  constructor(private readonly inquiries: InquiriesService) {}

  @Post('matches')
  @HttpCode(200)
  find(@Body() { text }: FindAccountsRequest): Promise<AccountMatch[]> {
    return this.inquiries.find(text);
  }
}
