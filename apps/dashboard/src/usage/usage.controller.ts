import { Controller, Get } from '@nestjs/common';
import { AllowVisitors, OF_ACTIVE_ACCOUNTS } from '../browser/allow-visitors.js';
import { DashboardCalls } from '../dashboard-calls.js';
import type { PageVisit } from '../pages/page-visit.js';
import { Visit } from '../pages/visit.js';
import { usagePage } from './usage-page.js';

/** What the account asked, and what it cost. */
@Controller('usage')
@AllowVisitors('logged-in', OF_ACTIVE_ACCOUNTS)
export class UsagePageController {
  constructor(private readonly calls: DashboardCalls) {}

  @Get()
  async show(@Visit() visit: PageVisit) {
    // The page is worth showing without the figures.
    const used = await this.calls.usage(visit.session).catch(() => undefined);
    return visit.show(usagePage(visit.context, used));
  }
}
