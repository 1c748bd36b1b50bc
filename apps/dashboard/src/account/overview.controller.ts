import { Controller, Get } from '@nestjs/common';
import { AllowVisitors } from '../browser/allow-visitors.js';
import { DashboardCalls } from '../dashboard-calls.js';
import { DashboardSettings } from '../dashboard-settings.js';
import type { PageVisit } from '../pages/page-visit.js';
import { Visit } from '../pages/visit.js';
import { restorePage } from './account-pages.js';
import { overviewPage, welcomePage } from './overview-page.js';

/** `/`: a welcome, the overview of the account, or the way back for a deleted one. */
@Controller()
@AllowVisitors('anyone')
export class OverviewController {
  constructor(
    private readonly calls: DashboardCalls,
    private readonly settings: DashboardSettings,
  ) {}

  @Get()
  async show(@Visit() visit: PageVisit) {
    const { apiUrl } = this.settings;
    const session = await this.calls.session(visit.visitor);
    if (!session) return visit.show(welcomePage({ ...visit.context, isLoggedIn: false }, apiUrl));
    if (session.accountState !== 'active') return visit.show(restorePage(visit.context));
    // Without entitlement or the gateway the page is still worth showing, without their figures.
    const [balance, ledger, usage] = await Promise.allSettled([
      this.calls.balance(session),
      this.calls.ledger(session),
      this.calls.usage(session),
    ]);
    const facts = {
      apiUrl,
      balance: balance.status === 'fulfilled' ? balance.value : undefined,
      ledger: ledger.status === 'fulfilled' ? ledger.value.items : undefined,
      usage: usage.status === 'fulfilled' ? usage.value : undefined,
    };
    return visit.show(overviewPage(visit.context, facts));
  }
}
