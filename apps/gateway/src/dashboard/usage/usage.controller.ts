import { Controller, Get } from '@nestjs/common';
import { UsageService } from '../../usage/usage.service.js';
import { AllowVisitors, OF_ACTIVE_ACCOUNTS } from '../browser/allow-visitors.js';
import type { PageVisit } from '../pages/page-visit.js';
import { Visit } from '../pages/visit.js';
import { usagePage } from './usage-page.js';

/** What the account asked, and what it cost. */
@Controller('usage')
@AllowVisitors('logged-in', OF_ACTIVE_ACCOUNTS)
export class UsagePageController {
  constructor(private readonly usage: UsageService) {}

  @Get()
  async show(@Visit() visit: PageVisit) {
    // The page is worth showing without the figures.
    const used = await this.usage.usage(visit.session.accountId).catch(() => undefined);
    return visit.show(usagePage(visit.context, used));
  }
}
