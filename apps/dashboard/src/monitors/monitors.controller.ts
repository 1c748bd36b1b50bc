import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import {
  MONITOR_KINDS,
  type MonitorAnswer,
  type MonitorEventsAnswer,
  type MonitorKind,
  type MonitorsAnswer,
} from '#libs/contracts';
import { NotFound } from '#libs/platform';
import { html } from '#libs/public-http';
import { AllowVisitors, OF_ACTIVE_ACCOUNTS } from '../browser/allow-visitors.js';
import type { PageCall } from '../dashboard-calls.js';
import { confirmationPage } from '../pages/confirmation-page.js';
import type { Notice } from '../pages/layout.js';
import { OptionalText } from '../pages/optional-text.js';
import { PageForm } from '../pages/page-form.dto.js';
import { type PageVisit, faultNotice, isRefused } from '../pages/page-visit.js';
import { Visit } from '../pages/visit.js';
import { MONITOR_LABELS, intervalOf, requestOf } from './monitor-form.js';
import { HitForm, MonitorForm, MonitorSettingsForm } from './monitors.dto.js';
import { monitorPage } from './monitor-page.js';
import { monitorsPage, newMonitorPage } from './monitors-page.js';

@Controller('monitors')
@AllowVisitors('logged-in', OF_ACTIVE_ACCOUNTS)
export class MonitorPagesController {
  @Get()
  async list(@Visit() visit: PageVisit, @Query('cursor', OptionalText) cursor: string) {
    const answer = await visit.worker({ method: 'GET', path: `/monitors${queryOf(cursor)}` });
    if (answer.refusal) throw answer.refusal;
    return visit.show(monitorsPage(visit.context, answer.body as MonitorsAnswer));
  }

  @Get('new/:kind')
  ask(@Visit() visit: PageVisit, @Param('kind') kind: string) {
    return visit.show(newMonitorPage(visit.context, kindOf(kind), {}));
  }

  @Post('new/:kind')
  async create(@Visit() visit: PageVisit, @Param('kind') kind: string, @Body() form: MonitorForm) {
    const known = kindOf(kind);
    const body = requestOf(known, form);
    const idempotencyKey = form.idempotency_key;
    const call = { method: 'POST', path: '/monitors', body, idempotencyKey } as const;
    const answer = await visit.worker(call);
    if (isRefused(answer)) {
      const notice = faultNotice(answer, MONITOR_LABELS);
      return visit.show(newMonitorPage(visit.context, known, form, notice), answer.status);
    }
    return visit.goTo(pathOf((answer.body as MonitorAnswer).id));
  }

  @Get(':id')
  show(
    @Visit() visit: PageVisit,
    @Param('id') id: string,
    @Query('cursor', OptionalText) cursor: string,
  ) {
    return this.showOne(visit, id, { cursor });
  }

  @Post(':id/pause')
  pause(@Visit() visit: PageVisit, @Body() _form: PageForm, @Param('id') id: string) {
    return this.afterChange(visit, id, { method: 'POST', path: '/pause', body: {} });
  }

  @Post(':id/resume')
  resume(@Visit() visit: PageVisit, @Body() _form: PageForm, @Param('id') id: string) {
    return this.afterChange(visit, id, { method: 'POST', path: '/resume', body: {} });
  }

  @Post(':id/test')
  test(@Visit() visit: PageVisit, @Body() _form: PageForm, @Param('id') id: string) {
    return this.afterChange(visit, id, { method: 'POST', path: '/test', body: {} });
  }

  @Post(':id/settings')
  change(
    @Visit() visit: PageVisit,
    @Body() { name, mail, interval_minutes }: MonitorSettingsForm,
    @Param('id') id: string,
  ) {
    const body = { name, mail: mail !== undefined, ...intervalOf(interval_minutes) };
    return this.afterChange(visit, id, { method: 'PATCH', path: '', body });
  }

  @Post(':id/events/:eventId')
  mark(
    @Visit() visit: PageVisit,
    @Body() { state }: HitForm,
    @Param('id') id: string,
    @Param('eventId') eventId: string,
  ) {
    const path = `/events/${encodeURIComponent(eventId)}`;
    return this.afterChange(visit, id, { method: 'PATCH', path, body: { state } });
  }

  @Get(':id/delete')
  askToDelete(@Visit() visit: PageVisit, @Param('id') id: string) {
    const asked = {
      title: 'Remove this monitor?',
      body: html`<p>It stops watching, and its events are deleted.</p>`,
      action: `${pathOf(id)}/delete`,
      button: 'Remove',
      isDanger: true,
      back: { href: pathOf(id), text: 'Keep it' },
    };
    return visit.show(confirmationPage(visit.context, asked));
  }

  @Post(':id/delete')
  async remove(@Visit() visit: PageVisit, @Body() _form: PageForm, @Param('id') id: string) {
    const answer = await visit.worker({ method: 'DELETE', path: pathOf(id) });
    if (answer.refusal) throw answer.refusal;
    return visit.goTo('/monitors');
  }

  private async afterChange(visit: PageVisit, id: string, call: PageCall) {
    const answer = await visit.worker({ ...call, path: `${pathOf(id)}${call.path}` });
    if (!isRefused(answer)) return visit.goTo(pathOf(id));
    const notice = faultNotice(answer, MONITOR_LABELS);
    return this.showOne(visit, id, { notice, status: answer.status });
  }

  private async showOne(visit: PageVisit, id: string, { cursor, notice, status }: Shown) {
    const [monitor, events] = await Promise.all([
      visit.worker({ method: 'GET', path: pathOf(id) }),
      visit.worker({ method: 'GET', path: `${pathOf(id)}/events${queryOf(cursor)}` }),
    ]);
    for (const { refusal } of [monitor, events]) if (refusal) throw refusal;
    const shown = [monitor.body as MonitorAnswer, events.body as MonitorEventsAnswer] as const;
    return visit.show(monitorPage(visit.context, ...shown, notice), status);
  }
}

interface Shown {
  cursor?: string;
  notice?: Notice;
  status?: number;
}

/** @throws NotFound. */
function kindOf(text: string): MonitorKind {
  const kind = MONITOR_KINDS.find((one) => one === text);
  if (!kind) throw new NotFound('There are monitors for domains, brands and registrants.');
  return kind;
}

const pathOf = (id: string) => `/monitors/${encodeURIComponent(id)}`;
const queryOf = (cursor?: string) => (cursor ? `?cursor=${encodeURIComponent(cursor)}` : '');
