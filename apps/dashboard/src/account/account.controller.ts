import { Body, Controller, Get, Post } from '@nestjs/common';
import { PasswordForm } from '../auth/auth.dto.js';
import { AllowVisitors, OF_ACTIVE_ACCOUNTS } from '../browser/allow-visitors.js';
import type { Notice } from '../pages/layout.js';
import { PageForm } from '../pages/page-form.dto.js';
import { type PageVisit, faultNotice, isRefused } from '../pages/page-visit.js';
import { Visit } from '../pages/visit.js';
import { askPassword, needsPassword } from '../security/password-again.js';
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
    const answer = await visit.account({ method: 'GET', path: '/account' });
    if (isRefused(answer)) {
      const page = accountPage(visit.context, {}, faultNotice(answer));
      return visit.show(page, answer.status);
    }
    return visit.show(accountPage(visit.context, answer.body as AccountFacts, notice), status);
  }
}
