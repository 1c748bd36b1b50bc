import { Body, Controller, Get, Param, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import {
  type AskProviderAnswer,
  PROVIDERS,
  PROVIDER_NAMES,
  type Provider,
  type ProviderReturnAnswer,
  type ProvidersAnswer,
} from '#libs/contracts';
import { NotFound } from '#libs/platform';
import { AllowVisitors } from '../browser/allow-visitors.js';
import { DashboardCalls } from '../dashboard-calls.js';
import { DashboardSettings } from '../dashboard-settings.js';
import { firstKeysPage } from '../keys/keys-page.js';
import { type PageVisit, faultNotice, isRefused } from '../pages/page-visit.js';
import { Visit } from '../pages/visit.js';
import { leavingPage, logInPage, returnPage } from './auth-pages.js';
import { ProviderForm, ProviderReturnForm } from './auth.dto.js';
import { wayBack } from './way-back.js';

@Controller('log-in/:provider')
@AllowVisitors('anyone')
export class ProviderPagesController {
  constructor(
    private readonly settings: DashboardSettings,
    private readonly calls: DashboardCalls,
  ) {}

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
      const providers = await providersOf(visit);
      const page = logInPage(visit.context, { to }, faultNotice(answer), providers);
      return visit.show(page, answer.status);
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
  async finish(
    @Visit() visit: PageVisit,
    @Param('provider') given: string,
    @Body() { query }: ProviderReturnForm,
  ) {
    const provider = providerOf(given);
    const answer = await visit.account({ method: 'POST', path: '/log-in/return', body: { query } });
    if (answer.refusal) {
      // A visitor who wanted to connect the provider is still logged in.
      if (await this.calls.session(visit.visitor)) throw answer.refusal;
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
    const others = (await providersOf(visit)).filter((one) => one !== provider);
    const text = connectWords(connects, provider, others);
    const entered = { email: connects, to };
    return visit.show(logInPage(visit.context, entered, { kind: 'note', text }, others));
  }
}

/** Explains how to connect the provider, because logging in with another provider does not connect this one. */
function connectWords(address: string, provider: Provider, others: readonly Provider[]): string {
  const name = PROVIDER_NAMES[provider];
  const words = `${address} already has an account. Log in to it with your password or a passkey to connect ${name}.`;
  if (others.length === 0) return words;
  const other = others.map((one) => PROVIDER_NAMES[one]).join(' or ');
  return `${words} If you log in with ${other} instead, connect ${name} afterwards under Account, Security.`;
}

/** Lists the configured providers; empty if the account service rejects the call or does not answer. */
export async function providersOf(visit: PageVisit): Promise<Provider[]> {
  const asked = visit.account({ method: 'GET', path: '/log-in/providers' });
  const answer = await asked.catch(() => undefined);
  return (answer?.body as Partial<ProvidersAnswer> | undefined)?.providers ?? [];
}

/** Returns a page that links to another origin. The answer to a form may not redirect there (`form-action`). */
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
