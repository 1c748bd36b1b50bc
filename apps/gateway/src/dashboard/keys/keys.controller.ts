import { Body, Controller, Get, Param, Post } from '@nestjs/common';
import { passwordAgainPage } from '../auth/auth-pages.js';
import { AllowVisitors } from '../browser/allow-visitors.js';
import { DashboardCalls } from '../dashboard-calls.js';
import { DashboardSettings } from '../dashboard-settings.js';
import type { Notice } from '../pages/layout.js';
import { PageForm } from '../pages/page-form.dto.js';
import { type PageVisit, faultNotice, isRefused } from '../pages/page-visit.js';
import { Visit } from '../pages/visit.js';
import type { ProxiedAnswer } from '../proxy/service-proxy.js';
import { type KeyShown, type ListedKey, isPaused, keysPage } from './keys-page.js';
import { CreateKeyForm, RotateKeyForm } from './keys.dto.js';

const PAUSED: Notice = {
  kind: 'fault',
  text: 'Your plan allows fewer keys than you have, so this key is paused. The oldest keys stay active.',
};

/** The account's API keys. */
@Controller('keys')
@AllowVisitors('logged-in')
export class KeysController {
  constructor(
    private readonly calls: DashboardCalls,
    private readonly settings: DashboardSettings,
  ) {}

  @Get()
  list(@Visit() visit: PageVisit) {
    return this.show(visit);
  }

  @Post()
  async create(@Visit() visit: PageVisit, @Body() form: CreateKeyForm) {
    const { name, environment, idempotency_key: idempotencyKey } = form;
    const body = { name, environment };
    const call = { method: 'POST', path: '/keys', body, idempotencyKey } as const;
    return this.afterChange(visit, await visit.account(call));
  }

  @Post(':id/rotate')
  async rotate(@Visit() visit: PageVisit, @Body() form: RotateKeyForm, @Param('id') id: string) {
    const path = `/keys/${encodeURIComponent(id)}/rotate`;
    const idempotencyKey = form.idempotency_key;
    const call = { method: 'POST', path, body: { overlap: '24h' }, idempotencyKey } as const;
    return this.afterChange(visit, await visit.account(call));
  }

  @Post(':id/revoke')
  async revoke(@Visit() visit: PageVisit, @Body() _form: PageForm, @Param('id') id: string) {
    const path = `/keys/${encodeURIComponent(id)}`;
    const answer = await visit.account({ method: 'DELETE', path });
    if (!isRefused(answer)) return visit.goTo('/keys');
    return this.show(visit, undefined, faultNotice(answer), answer.status);
  }

  private async afterChange(visit: PageVisit, answer: ProxiedAnswer) {
    if (answer.refusal?.code === 'reauthentication_required') {
      return visit.show(passwordAgainPage(visit.context), answer.status);
    }
    if (isRefused(answer)) return this.show(visit, undefined, faultNotice(answer), answer.status);
    const { key, rank } = answer.body as { key?: string; rank: number | null };
    const { apiUrl } = this.settings;
    return this.show(visit, key === undefined ? undefined : { key, rank, apiUrl });
  }

  private async show(visit: PageVisit, shown?: KeyShown, notice?: Notice, status = 200) {
    const answer = await visit.account({ method: 'GET', path: '/keys' });
    if (isRefused(answer)) {
      const page = keysPage(visit.context, { keys: [] }, faultNotice(answer));
      return visit.show(page, answer.status);
    }
    const { keys } = answer.body as { keys: ListedKey[] };
    const allowed = await this.calls.keysAllowed(visit.session);
    const said = notice ?? (shown && isPaused(shown, allowed) ? PAUSED : undefined);
    return visit.show(keysPage(visit.context, { keys, shown, allowed }, said), status);
  }
}
