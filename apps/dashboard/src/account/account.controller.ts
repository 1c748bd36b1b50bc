import { Body, Controller, Get, Post } from '@nestjs/common';
import type { SubscriptionsAnswer } from '#libs/contracts';
import { PasswordForm } from '../auth/auth.dto.js';
import { AllowVisitors, OF_ACTIVE_ACCOUNTS } from '../browser/allow-visitors.js';
import { DashboardCalls } from '../dashboard-calls.js';
import type { Notice } from '../pages/layout.js';
import { PageForm } from '../pages/page-form.dto.js';
import { type PageVisit, faultNotice, isRefused } from '../pages/page-visit.js';
import { Visit } from '../pages/visit.js';
import { askPassword, needsPassword } from '../security/password-again.js';
import { nameOf } from '../subscriptions/subscriptions-page.js';
import {
  type AccountFacts,
  accountPage,
  deletedPage,
  exportPage,
  restorePage,
} from './account-pages.js';

const DOWNLOAD = '/api/account/export';

@Controller('account')
@AllowVisitors('logged-in', OF_ACTIVE_ACCOUNTS)
export class AccountController {
  constructor(private readonly calls: DashboardCalls) {}

  @Get()
  view(@Visit() visit: PageVisit) {
    return this.show(visit);
  }

  @Post('delete')
  async delete(@Visit() visit: PageVisit, @Body() { password }: PasswordForm) {
    const call = { method: 'POST', path: '/account/delete', body: { password } } as const;
    const answer = await visit.account(call);
    if (needsPassword(answer)) return askPassword(visit, '/account');
    if (isRefused(answer)) return this.show(visit, faultNotice(answer), answer.status);
    return visit.show(deletedPage(visit.context));
  }

  @Get('export')
  exportPage(@Visit() visit: PageVisit) {
    return visit.show(exportPage(visit.context));
  }

  /** Checks the password, if there is one, then starts the download; the page stays open. */
  @Post('export')
  async export(@Visit() visit: PageVisit, @Body() { password }: PasswordForm) {
    const { hasPassword, isRecent } = visit.session;
    if (hasPassword === false) {
      return isRecent ? visit.goTo(DOWNLOAD) : askPassword(visit, '/account/export');
    }
    const call = { method: 'POST', path: '/session/reauthenticate', body: { password } } as const;
    const answer = await visit.account(call);
    if (!isRefused(answer)) return visit.goTo(DOWNLOAD);
    return visit.show(exportPage(visit.context, faultNotice(answer)), answer.status);
  }

  @Post('restore')
  @AllowVisitors('logged-in')
  async restore(@Visit() visit: PageVisit, @Body() _form: PageForm) {
    const answer = await visit.account({ method: 'POST', path: '/account/restore', body: {} });
    if (!isRefused(answer)) return visit.goTo('/');
    const until = visit.session.restorableUntil;
    return visit.show(restorePage(visit.context, until, faultNotice(answer)), answer.status);
  }

  private async show(visit: PageVisit, notice?: Notice, status = 200) {
    const [answer, credits, plans] = await Promise.all([
      visit.account({ method: 'GET', path: '/account' }),
      this.calls.creditsOf(visit.session),
      currentPlans(visit),
    ]);
    const ending = { credits, plans };
    if (isRefused(answer)) {
      const page = accountPage(visit.context, {}, ending, faultNotice(answer));
      return visit.show(page, answer.status);
    }
    const account = answer.body as AccountFacts;
    return visit.show(accountPage(visit.context, account, ending, notice), status);
  }
}

/** Returns the names of the visitor's plans; undefined if billing rejects the call or does not answer. */
async function currentPlans(visit: PageVisit): Promise<string[] | undefined> {
  const asked = visit.billing({ method: 'GET', path: '/subscriptions' });
  const answer = await asked.catch(() => undefined);
  const { subscriptions } = (answer?.body ?? {}) as Partial<SubscriptionsAnswer>;
  return subscriptions?.filter(({ is_current: isCurrent }) => isCurrent).map(nameOf);
}
