import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import type { LogInAnswer } from '#libs/contracts';
import { AllowVisitors } from '../browser/allow-visitors.js';
import { DashboardCalls } from '../dashboard-calls.js';
import { DashboardSettings } from '../dashboard-settings.js';
import { firstKeysPage } from '../keys/keys-page.js';
import { OptionalText } from '../pages/optional-text.js';
import { PageForm } from '../pages/page-form.dto.js';
import { type PageVisit, faultNotice, isRefused } from '../pages/page-visit.js';
import { Visit } from '../pages/visit.js';
import {
  checkMailPage,
  confirmPage,
  forgotPage,
  logInCodePage,
  logInPage,
  passwordAgainPage,
  resetPage,
  signUpPage,
} from './auth-pages.js';
import type { ProxiedAnswer } from '../service-calls/service-proxy.js';
import {
  ConfirmForm,
  ForgotPasswordForm,
  LogInCodeForm,
  LogInForm,
  LogInPasskeyForm,
  ReauthenticateForm,
  ResetPasswordForm,
  SignUpForm,
} from './auth.dto.js';
import { isLinkOpen, isLinkOver, showLinkOver } from './mailed-link.js';
import { providersOf } from './provider.controller.js';
import { wayBack } from './way-back.js';

const RESET_SENT =
  'If an account has this address, a link to set a new password is on its way. It works once, within 30 minutes.';
const SIGN_UP_SENT =
  'A link to confirm your address is on its way. It works once, within 24 hours.';
const RESET_DONE = { kind: 'done', text: 'The new password is set. Log in with it.' } as const;

@Controller()
@AllowVisitors('anyone')
export class AuthController {
  constructor(
    private readonly settings: DashboardSettings,
    private readonly calls: DashboardCalls,
  ) {}

  @Get('sign-up')
  async showSignUp(@Visit() visit: PageVisit) {
    return visit.show(signUpPage(visit.context, {}, undefined, await providersOf(visit)));
  }

  @Post('sign-up')
  async signUp(@Visit() visit: PageVisit, @Body() { first_name, email, password }: SignUpForm) {
    const body = { first_name, email, password };
    const answer = await visit.account({ method: 'POST', path: '/sign-up', body });
    if (!isRefused(answer)) return visit.show(checkMailPage(visit.context, SIGN_UP_SENT));
    const providers = await providersOf(visit);
    const page = signUpPage(visit.context, { first_name, email }, faultNotice(answer), providers);
    return visit.show(page, answer.status);
  }

  @Get('sign-up/confirm')
  async showConfirm(@Visit() visit: PageVisit, @Query('token', OptionalText) token: string) {
    if (await isLinkOpen(visit, 'sign_up', token)) {
      return visit.show(confirmPage(visit.context, token));
    }
    return this.afterLink(visit);
  }

  @Post('sign-up/confirm')
  async confirm(@Visit() visit: PageVisit, @Body() { token, password, set_password }: ConfirmForm) {
    const body = { token, password, ...(set_password && { set_password: true }) };
    const call = { method: 'POST', path: '/sign-up/confirm', body } as const;
    const answer = await visit.account(call);
    if (isLinkOver(answer)) return this.afterLink(visit);
    if (isRefused(answer)) {
      const notice = faultNotice(answer);
      const isToBeSet = set_password !== undefined;
      const page = confirmPage(visit.context, token ?? '', { notice, isToBeSet });
      return visit.show(page, answer.status);
    }
    const { key, test_key } = answer.body as { key: string; test_key: string };
    return visit.show(firstKeysPage(visit.context, [test_key, key], this.settings.apiUrl));
  }

  /**
   * Answers a request with a link that no longer works. A visitor with a session may have reloaded the page with the
   * first keys, which are shown only once, and goes to the dashboard. Others see that the link no longer works.
   */
  private async afterLink(visit: PageVisit) {
    if (await this.calls.session(visit.visitor)) return visit.goTo('/');
    return showLinkOver(visit, 'sign_up');
  }

  @Get('log-in')
  async showLogIn(@Visit() visit: PageVisit, @Query('to', OptionalText) to: string) {
    return visit.show(logInPage(visit.context, { to }, undefined, await providersOf(visit)));
  }

  @Post('log-in')
  async logIn(@Visit() visit: PageVisit, @Body() { email, password, to }: LogInForm) {
    const body = { email, password };
    const answer = await visit.account({ method: 'POST', path: '/log-in', body });
    if (!isRefused(answer)) return this.afterLogIn(visit, answer, to);
    const providers = await providersOf(visit);
    const page = logInPage(visit.context, { email, to }, faultNotice(answer), providers);
    return visit.show(page, answer.status);
  }

  private afterLogIn(visit: PageVisit, { body }: ProxiedAnswer, to?: string) {
    if ((body as LogInAnswer).needs === undefined) return visit.goTo(wayBack(to));
    return visit.goTo(`/log-in/code?${new URLSearchParams({ to: wayBack(to) })}`);
  }

  @Get('log-in/code')
  showCode(@Visit() visit: PageVisit, @Query('to', OptionalText) to: string) {
    return visit.show(logInCodePage(visit.context, to));
  }

  @Post('log-in/code')
  async logInWithCode(@Visit() visit: PageVisit, @Body() { code, to }: LogInCodeForm) {
    const call = { method: 'POST', path: '/log-in/code', body: { code } } as const;
    const answer = await visit.account(call);
    if (!isRefused(answer)) return visit.goTo(wayBack(to));
    const isOver = answer.refusal?.code === 'log_in_over';
    const page = isOver
      ? logInPage(visit.context, { to }, faultNotice(answer), await providersOf(visit))
      : logInCodePage(visit.context, to, faultNotice(answer));
    return visit.show(page, answer.status);
  }

  @Post('log-in/passkey')
  async logInWithPasskey(@Visit() visit: PageVisit, @Body() { credential, to }: LogInPasskeyForm) {
    const call = { method: 'POST', path: '/log-in/passkey', body: { credential } } as const;
    const answer = await visit.account(call);
    if (!isRefused(answer)) return visit.goTo(wayBack(to));
    const providers = await providersOf(visit);
    const page = logInPage(visit.context, { to }, faultNotice(answer), providers);
    return visit.show(page, answer.status);
  }

  @Post('log-out')
  async logOut(@Visit() visit: PageVisit, @Body() _form: PageForm) {
    const answer = await visit.account({ method: 'POST', path: '/log-out', body: {} });
    // A session that has already ended exists only in the browser.
    if (answer.status === 401) visit.forgetSession();
    return visit.goTo('/');
  }

  @Get('password/forgot')
  showForgot(@Visit() visit: PageVisit) {
    return visit.show(forgotPage(visit.context));
  }

  @Post('password/forgot')
  async forgotPassword(@Visit() visit: PageVisit, @Body() { email }: ForgotPasswordForm) {
    const call = { method: 'POST', path: '/password/forgot', body: { email } } as const;
    const answer = await visit.account(call);
    if (!isRefused(answer)) return visit.show(checkMailPage(visit.context, RESET_SENT));
    return visit.show(forgotPage(visit.context, { email }, faultNotice(answer)), answer.status);
  }

  @Get('password/reset')
  async showReset(@Visit() visit: PageVisit, @Query('token', OptionalText) token: string) {
    const isOpen = await isLinkOpen(visit, 'password_reset', token);
    return isOpen
      ? visit.show(resetPage(visit.context, token))
      : showLinkOver(visit, 'password_reset');
  }

  @Post('password/reset')
  async resetPassword(@Visit() visit: PageVisit, @Body() { token, password }: ResetPasswordForm) {
    const call = { method: 'POST', path: '/password/reset', body: { token, password } } as const;
    const answer = await visit.account(call);
    if (!isRefused(answer)) {
      const providers = await providersOf(visit);
      return visit.show(logInPage(visit.context, {}, RESET_DONE, providers));
    }
    if (isLinkOver(answer)) return showLinkOver(visit, 'password_reset');
    const page = resetPage(visit.context, token ?? '', faultNotice(answer));
    return visit.show(page, answer.status);
  }

  /**
   * Checks the password, and then opens the page of the change again. Some changes need a password that was entered
   * within the last ten minutes.
   */
  @Post('reauthenticate')
  @AllowVisitors('logged-in')
  async reauthenticate(
    @Visit() visit: PageVisit,
    @Body() { password, to = '/' }: ReauthenticateForm,
  ) {
    const call = { method: 'POST', path: '/session/reauthenticate', body: { password } } as const;
    const answer = await visit.account(call);
    if (!isRefused(answer)) return visit.goTo(wayBack(to));
    return visit.show(passwordAgainPage(visit.context, to, faultNotice(answer)), answer.status);
  }
}
