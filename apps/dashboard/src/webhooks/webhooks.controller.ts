import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import type {
  WebhookAnswer,
  WebhookDeliveriesAnswer,
  WebhookEvent,
  WebhookSecretAnswer,
  WebhooksAnswer,
} from '#libs/contracts';
import { Clock } from '#libs/platform';
import { html } from '#libs/public-http';
import { AllowVisitors, OF_ACTIVE_ACCOUNTS } from '../browser/allow-visitors.js';
import type { PageCall } from '../dashboard-calls.js';
import { DashboardSettings } from '../dashboard-settings.js';
import { OptionalText } from '../pages/optional-text.js';
import { confirmationPage } from '../pages/confirmation-page.js';
import type { Notice } from '../pages/layout.js';
import { PageForm } from '../pages/page-form.dto.js';
import { type PageVisit, failedAnswer, faultNotice, isRefused } from '../pages/page-visit.js';
import { Visit } from '../pages/visit.js';
import { eventsOf } from './ticked-events.js';
import { NewSecretForm, WebhookForm, WebhookStateForm } from './webhooks.dto.js';
import { deliveriesPage, newSecretPage, webhooksPage } from './webhooks-page.js';

@Controller('webhooks')
@AllowVisitors('logged-in', OF_ACTIVE_ACCOUNTS)
export class WebhookPagesController {
  constructor(
    private readonly settings: DashboardSettings,
    private readonly clock: Clock,
  ) {}

  @Get()
  list(@Visit() visit: PageVisit) {
    return this.show(visit);
  }

  @Post()
  async create(@Visit() visit: PageVisit, @Body() form: WebhookForm) {
    const { url = '', idempotency_key: idempotencyKey } = form;
    const body = { url, events: eventsOf(form) };
    const call = { method: 'POST', path: '/webhooks', body, idempotencyKey } as const;
    const answer = await visit.worker(call);
    if (isRefused(answer)) {
      const { status } = answer;
      return this.show(visit, { notice: faultNotice(answer), status, ...body });
    }
    const { secret } = answer.body as Partial<WebhookSecretAnswer>;
    return this.show(visit, secret === undefined ? { notice: ADDED_BEFORE } : { secret });
  }

  @Get(':id')
  deliveries(
    @Visit() visit: PageVisit,
    @Param('id') id: string,
    @Query('cursor', OptionalText) cursor: string,
  ) {
    return this.showOne(visit, id, { cursor });
  }

  @Post(':id/state')
  change(@Visit() visit: PageVisit, @Body() { state }: WebhookStateForm, @Param('id') id: string) {
    return this.afterChange(visit, id, { method: 'PATCH', path: '', body: { state } });
  }

  @Post(':id/test')
  test(@Visit() visit: PageVisit, @Body() _form: PageForm, @Param('id') id: string) {
    return this.afterChange(visit, id, { method: 'POST', path: '/test', body: {} });
  }

  @Post(':id/deliveries/:deliveryId/replay')
  replay(
    @Visit() visit: PageVisit,
    @Body() _form: PageForm,
    @Param('id') id: string,
    @Param('deliveryId') deliveryId: string,
  ) {
    const path = `/deliveries/${encodeURIComponent(deliveryId)}/replay`;
    return this.afterChange(visit, id, { method: 'POST', path, body: {} });
  }

  @Get(':id/rotate')
  async askToRotate(@Visit() visit: PageVisit, @Param('id') id: string) {
    const { refusal, body } = await visit.worker({ method: 'GET', path: pathOf(id) });
    if (refusal) throw refusal;
    return visit.show(newSecretPage(visit.context, body as WebhookAnswer, this.clock.now()));
  }

  /**
   * Makes a new secret, unless one has been made since the form was created, for example because the form was sent
   * twice.
   */
  @Post(':id/rotate')
  async rotate(
    @Visit() visit: PageVisit,
    @Body() { previous = '' }: NewSecretForm,
    @Param('id') id: string,
  ) {
    const { refusal, body } = await visit.worker({ method: 'GET', path: pathOf(id) });
    if (refusal) throw refusal;
    const { previous_secret_until: until } = body as WebhookAnswer;
    if ((until ?? '') !== previous) return this.show(visit, { notice: MADE_BEFORE });
    const path = `${pathOf(id)}/rotate?${new URLSearchParams({ previous })}`;
    const answer = await visit.worker({ method: 'POST', path, body: {} });
    const isMade = answer.refusal?.errors?.some(({ field }) => field === 'previous');
    if (isMade) return this.show(visit, { notice: MADE_BEFORE });
    if (isRefused(answer)) {
      return this.show(visit, { notice: faultNotice(answer), status: answer.status });
    }
    const { secret } = answer.body as WebhookSecretAnswer;
    return this.show(visit, { secret });
  }

  @Get(':id/delete')
  askToDelete(@Visit() visit: PageVisit, @Param('id') id: string) {
    const asked = {
      title: 'Remove this webhook?',
      body: html`<p>Nothing is sent to it any more, and its log is removed.</p>`,
      action: `/webhooks/${encodeURIComponent(id)}/delete`,
      button: 'Remove',
      isDanger: true,
      back: { href: '/webhooks', text: 'Keep it' },
    };
    return visit.show(confirmationPage(visit.context, asked));
  }

  @Post(':id/delete')
  async remove(@Visit() visit: PageVisit, @Body() _form: PageForm, @Param('id') id: string) {
    const answer = await visit.worker({ method: 'DELETE', path: pathOf(id) });
    if (!isRefused(answer)) return visit.goTo('/webhooks');
    return this.show(visit, { notice: faultNotice(answer), status: answer.status });
  }

  private async afterChange(visit: PageVisit, id: string, call: PageCall) {
    const answer = await visit.worker({ ...call, path: `${pathOf(id)}${call.path}` });
    if (!isRefused(answer)) return visit.goTo(`/webhooks/${encodeURIComponent(id)}`);
    return this.showOne(visit, id, { notice: faultNotice(answer), status: answer.status });
  }

  private async showOne(visit: PageVisit, id: string, shown: Shown & { cursor?: string }) {
    const { cursor, notice, status = 200 } = shown;
    const query = cursor ? `?cursor=${encodeURIComponent(cursor)}` : '';
    const [webhook, log] = await Promise.all([
      visit.worker({ method: 'GET', path: pathOf(id) }),
      visit.worker({ method: 'GET', path: `${pathOf(id)}/deliveries${query}` }),
    ]);
    for (const { refusal } of [webhook, log]) if (refusal) throw refusal;
    const page = deliveriesPage(
      visit.context,
      webhook.body as WebhookAnswer,
      log.body as WebhookDeliveriesAnswer,
      notice,
    );
    return visit.show(page, status);
  }

  private async show(visit: PageVisit, shown: Shown = {}) {
    const { notice, status = 200, ...given } = shown;
    const rest = { ...given, apiUrl: this.settings.apiUrl };
    const listed = visit.worker({ method: 'GET', path: '/webhooks' });
    // A secret is shown only this once, even if the list cannot be read.
    const answer = await (rest.secret ? listed.catch(failedAnswer) : listed);
    if (isRefused(answer)) {
      const page = webhooksPage(visit.context, rest, faultNotice(answer));
      return visit.show(page, rest.secret ? 200 : answer.status);
    }
    const { webhooks } = answer.body as WebhooksAnswer;
    return visit.show(webhooksPage(visit.context, { webhooks, ...rest }, notice), status);
  }
}

interface Shown {
  notice?: Notice;
  status?: number;
  /** The secret, which is shown only this once. */
  secret?: string;
  url?: string;
  events?: readonly WebhookEvent[];
}

const ADDED_BEFORE: Notice = {
  kind: 'note',
  text: 'This form was sent before and has already added its webhook, and a secret is shown only once. If you did not copy it, make a new one.',
};
const MADE_BEFORE: Notice = {
  kind: 'note',
  text: 'This webhook has got a new secret since that page was opened, and a secret is shown only once. If you did not copy it, make another one.',
};

const pathOf = (id: string) => `/webhooks/${encodeURIComponent(id)}`;
