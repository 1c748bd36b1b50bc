import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { checkMailPage } from '../auth/auth-pages.js';
import { isLinkOpen, isLinkOver, showLinkOver } from '../auth/mailed-link.js';
import { AllowVisitors, OF_ACTIVE_ACCOUNTS } from '../browser/allow-visitors.js';
import { OptionalText } from '../pages/optional-text.js';
import { type PageVisit, faultNotice, isRefused } from '../pages/page-visit.js';
import { Visit } from '../pages/visit.js';
import { askPassword, needsPassword } from '../security/password-again.js';
import {
  changeEmailPage,
  changePasswordPage,
  confirmEmailPage,
  emailChangedPage,
  passwordChangedPage,
} from './credentials-pages.js';
import { ChangeEmailForm, ChangePasswordForm, ConfirmEmailForm } from './credentials.dto.js';

const LINK_SENT =
  'A link to confirm the new address is on its way there. It works once, within 24 hours. Until then everything stays as it is.';

@Controller('account')
@AllowVisitors('logged-in', OF_ACTIVE_ACCOUNTS)
export class CredentialPagesController {
  @Get('password')
  showPassword(@Visit() visit: PageVisit) {
    return visit.show(changePasswordPage(visit.context));
  }

  @Post('password')
  async changePassword(@Visit() visit: PageVisit, @Body() form: ChangePasswordForm) {
    const { current_password, password } = form;
    const body = { current_password, password };
    const answer = await visit.account({ method: 'POST', path: '/password/change', body });
    if (!isRefused(answer)) return visit.show(passwordChangedPage(visit.context));
    return visit.show(changePasswordPage(visit.context, faultNotice(answer)), answer.status);
  }

  @Get('email')
  showEmail(@Visit() visit: PageVisit) {
    return visit.show(changeEmailPage(visit.context));
  }

  /**
   * Requires the password first or, without one, a recent log-in, so that nobody can use an unattended session to move
   * the account to another mailbox (S35).
   */
  @Post('email')
  async changeEmail(@Visit() visit: PageVisit, @Body() { email, password }: ChangeEmailForm) {
    const check = { method: 'POST', path: '/session/reauthenticate', body: { password } } as const;
    const known = visit.session.hasPassword === false ? undefined : await visit.account(check);
    const answer =
      known && isRefused(known)
        ? known
        : await visit.account({ method: 'POST', path: '/account/email', body: { email } });
    if (needsPassword(answer)) return askPassword(visit, '/account/email');
    if (!isRefused(answer)) return visit.show(checkMailPage(visit.context, LINK_SENT));
    return visit.show(changeEmailPage(visit.context, email, faultNotice(answer)), answer.status);
  }

  @Get('email/confirm')
  @AllowVisitors('anyone')
  async showConfirm(@Visit() visit: PageVisit, @Query('token', OptionalText) token: string) {
    const isOpen = await isLinkOpen(visit, 'address_change', token);
    return isOpen
      ? visit.show(confirmEmailPage(visit.context, token))
      : showLinkOver(visit, 'address_change');
  }

  @Post('email/confirm')
  @AllowVisitors('anyone')
  async confirm(@Visit() visit: PageVisit, @Body() { token }: ConfirmEmailForm) {
    const path = '/account/email/confirm';
    const answer = await visit.account({ method: 'POST', path, body: { token } });
    if (!isRefused(answer)) return visit.show(emailChangedPage(visit.context));
    if (isLinkOver(answer)) return showLinkOver(visit, 'address_change');
    const page = confirmEmailPage(visit.context, token ?? '', faultNotice(answer));
    return visit.show(page, answer.status);
  }
}
