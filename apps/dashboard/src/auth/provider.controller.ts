import { Body, Controller, Get, Param, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import {
  type AskProviderAnswer,
  PROVIDERS,
  type Provider,
  type ProviderReturnAnswer,
  type ProvidersAnswer,
} from '#libs/contracts';
import { NotFound } from '#libs/platform';
import { AllowVisitors } from '../browser/allow-visitors.js';
import { DashboardSettings } from '../dashboard-settings.js';
import { firstKeysPage } from '../keys/keys-page.js';
import { type PageVisit, faultNotice, isRefused } from '../pages/page-visit.js';
import { Visit } from '../pages/visit.js';
import { leavingPage, logInPage, returnPage } from './auth-pages.js';
import { ProviderForm, ProviderReturnForm } from './auth.dto.js';
import { wayBack } from './way-back.js';

/** Log-in by Google or GitHub. */
@Controller('log-in/:provider')
@AllowVisitors('anyone')
export class ProviderPagesController {
  constructor(private readonly settings: DashboardSettings) {}

  @Post()
  async leave(
    @Visit() visit: PageVisit,
    @Param('provider') given: string,
    @Body() { to }: ProviderForm,
  ) {
    const provider = providerOf(given);
    const body = { to: wayBack(to) };
    const path = `/log-in/providers/${provider}`;
    const answer = await visit.account({ method: 'POST', path, body });
    if (isRefused(answer)) {
      return visit.show(logInPage(visit.context, { to }, faultNotice(answer)), answer.status);
    }
    return showLeaving(visit, provider, answer.body as AskProviderAnswer);
  }

  @Get('return')
  showReturn(
    @Visit() visit: PageVisit,
    @Param('provider') given: string,
    @Req() { url }: FastifyRequest,
  ) {
    const query = url.includes('?') ? url.slice(url.indexOf('?')) : '';
    return visit.show(returnPage(visit.context, providerOf(given), query));
  }

  @Post('return')
  async finish(@Visit() visit: PageVisit, @Body() { query }: ProviderReturnForm) {
    const answer = await visit.account({ method: 'POST', path: '/log-in/return', body: { query } });
    if (isRefused(answer)) {
      const providers = await providersOf(visit);
      const page = logInPage(visit.context, {}, faultNotice(answer), providers);
      return visit.show(page, answer.status);
    }
    const { to, needs, connects, key, test_key: testKey } = answer.body as ProviderReturnAnswer;
    if (key !== undefined && testKey !== undefined) {
      return visit.show(firstKeysPage(visit.context, [testKey, key], this.settings.apiUrl));
    }
    if (needs) return visit.goTo(`/log-in/code?${new URLSearchParams({ to: wayBack(to) })}`);
    if (connects === undefined) return visit.goTo(wayBack(to));
    const text = `${connects} has an account already. Log in to it once, and both are connected.`;
    return visit.show(logInPage(visit.context, { email: connects, to }, { kind: 'note', text }));
  }
}

/** Undefined while account does not answer. */
export async function providersOf(visit: PageVisit): Promise<Provider[]> {
  const asked = visit.account({ method: 'GET', path: '/log-in/providers' });
  const answer = await asked.catch(() => undefined);
  return (answer?.body as Partial<ProvidersAnswer> | undefined)?.providers ?? [];
}

/** A form's answer may not redirect to another origin (`form-action`), but a page may lead on. */
export function showLeaving(
  visit: PageVisit,
  provider: Provider,
  { url }: AskProviderAnswer,
): string {
  visit.leadTo(url);
  return visit.show(leavingPage(visit.context, provider, url));
}

/** @throws NotFound. */
export function providerOf(given: string): Provider {
  const provider = PROVIDERS.find((one) => one === given);
  if (!provider) throw new NotFound();
  return provider;
}
