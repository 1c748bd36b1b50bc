import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import type {
  PaymentDetailsAnswer,
  PlanChangeAnswer,
  PlanPreviewAnswer,
  SubscriptionAnswer,
  SubscriptionsAnswer,
} from '#libs/contracts';
import { AllowVisitors, OF_ACTIVE_ACCOUNTS } from '../browser/allow-visitors.js';
import { leavePage } from '../credits/credits-pages.js';
import { DashboardCalls } from '../dashboard-calls.js';
import type { Notice } from '../pages/layout.js';
import { OptionalText } from '../pages/optional-text.js';
import { PageForm } from '../pages/page-form.dto.js';
import { type PageVisit, faultNotice, isRefused } from '../pages/page-visit.js';
import { Visit } from '../pages/visit.js';
import { askPassword } from '../security/password-again.js';
import type { ProxiedAnswer } from '../service-calls/service-proxy.js';
import { changePage } from './change-page.js';
import {
  type Ordered,
  cancelPage,
  standingNotice,
  subscriptionsPage,
} from './subscriptions-page.js';
import { CancelForm, ChangePlanForm } from './subscriptions.dto.js';

/**
 * The notice for customers who return without having paid. Anyone may have written the URL, so the text does not claim
 * that nothing was charged.
 */
const UNFINISHED: Notice = {
  kind: 'note',
  text: 'You came back without finishing the payment.',
};

/**
 * The notice for customers who return from PayPal's page before the callback arrives. Anyone may have written the URL,
 * so the text says "if".
 */
const ON_ITS_WAY: Notice = {
  kind: 'note',
  text: 'If you have just paid, the payment is on its way to us. Load this page again in a moment.',
};

/** The notice for customers who agreed to a price that is too old. */
const PRICED_AGAIN: Notice = {
  kind: 'note',
  text: 'This page was open for more than 15 minutes, so the price was calculated again. Nothing was changed or charged yet.',
};

interface Arrival {
  changed?: string;
  hasPaid?: boolean;
}

@Controller()
@AllowVisitors('logged-in', OF_ACTIVE_ACCOUNTS)
export class SubscriptionPagesController {
  constructor(private readonly calls: DashboardCalls) {}

  /** Shows the list. Processors' pages return to the second path. */
  @Get(['subscriptions', 'billing/subscriptions'])
  view(
    @Visit() visit: PageVisit,
    @Query('cancelled', OptionalText) cancelled: string,
    @Query('changed', OptionalText) changed: string,
    @Query('token', OptionalText) token: string,
  ) {
    const notice = cancelled === '' ? undefined : UNFINISHED;
    return this.show(visit, notice, 200, { changed, hasPaid: token !== '' });
  }

  @Get('subscriptions/:id/change')
  preview(
    @Visit() visit: PageVisit,
    @Param('id') id: string,
    @Query('sku', OptionalText) sku: string,
    @Query('quantity', OptionalText) quantity: string,
  ) {
    return this.showPreview(visit, id, { sku, quantity: Number(quantity || 1) });
  }

  private async showPreview(visit: PageVisit, id: string, to: Ordered, notice?: Notice) {
    const own = await visit.billing({ method: 'GET', path: pathOf(id) });
    if (isRefused(own)) return this.showRefusal(visit, own);
    const [answer, balance] = await Promise.all([
      visit.billing({ method: 'POST', path: pathOf(id, 'preview'), body: to }),
      this.calls.balance(visit.session).catch(() => undefined),
    ]);
    if (isRefused(answer)) return this.showRefusal(visit, answer);
    const owned = own.body as SubscriptionAnswer;
    const preview = answer.body as PlanPreviewAnswer;
    return visit.show(changePage(visit.context, { owned, to, preview, balance }, notice));
  }

  @Post('subscriptions/:id/change')
  async change(@Visit() visit: PageVisit, @Body() form: ChangePlanForm, @Param('id') id: string) {
    const { sku = '', quantity = '1', from, idempotency_key: idempotencyKey } = form;
    const to = { sku, quantity: Number(quantity) };
    const call = { path: pathOf(id, 'change'), body: { ...to, from }, idempotencyKey };
    const answer = await visit.billing({ method: 'POST', ...call });
    const isOld = answer.refusal?.errors?.some(({ field }) => field === 'from');
    return isOld ? this.showPreview(visit, id, to, PRICED_AGAIN) : this.showStep(visit, answer);
  }

  @Get('subscriptions/:id/cancel')
  async askToCancel(@Visit() visit: PageVisit, @Param('id') id: string) {
    const answer = await visit.billing({ method: 'GET', path: pathOf(id) });
    if (isRefused(answer)) return this.showRefusal(visit, answer);
    return visit.show(cancelPage(visit.context, answer.body as SubscriptionAnswer));
  }

  @Post('subscriptions/:id/cancel')
  cancel(@Visit() visit: PageVisit, @Body() { reason = '' }: CancelForm, @Param('id') id: string) {
    const said = reason.replaceAll(/\s+/g, ' ').trim();
    return this.step(visit, pathOf(id, 'cancel'), { body: said === '' ? {} : { reason: said } });
  }

  @Post('subscriptions/:id/undo')
  undo(@Visit() visit: PageVisit, @Body() _form: PageForm, @Param('id') id: string) {
    return this.step(visit, pathOf(id, 'undo'));
  }

  /** Drops a change that is not paid yet. */
  @Post('subscriptions/:id/drop')
  drop(@Visit() visit: PageVisit, @Body() _form: PageForm, @Param('id') id: string) {
    return this.step(visit, pathOf(id, 'drop'));
  }

  @Post('subscriptions/:id/payment-details')
  async changeCard(@Visit() visit: PageVisit, @Body() _form: PageForm, @Param('id') id: string) {
    if (!visit.session.isRecent) return askPassword(visit, '/subscriptions');
    const path = pathOf(id, 'payment-details');
    const answer = await visit.billing({ method: 'POST', path, body: {} });
    if (isRefused(answer)) return this.showRefusal(visit, answer);
    const { redirect_url: url } = answer.body as PaymentDetailsAnswer;
    return visit.show(leavePage(visit.context, url));
  }

  private async step(visit: PageVisit, path: string, { body = {} }: { body?: object } = {}) {
    return this.showStep(visit, await visit.billing({ method: 'POST', path, body }));
  }

  private showStep(visit: PageVisit, answer: ProxiedAnswer) {
    if (isRefused(answer)) return this.showRefusal(visit, answer);
    const { redirect_url: url, subscription } = answer.body as PlanChangeAnswer;
    // A customer whose card was declined is told so on the dashboard, and stays there.
    const isDeclined = subscription.unpaid_change?.is_declined === true;
    if (url && !isDeclined) return visit.show(leavePage(visit.context, url));
    return visit.goTo(`/subscriptions?changed=${subscription.id}`);
  }

  private showRefusal(visit: PageVisit, answer: ProxiedAnswer) {
    return this.show(visit, faultNotice(answer), answer.status);
  }

  private async show(visit: PageVisit, notice?: Notice, status = 200, from: Arrival = {}) {
    const [balance, answer] = await Promise.all([
      this.calls.balance(visit.session).catch(() => undefined),
      visit.billing({ method: 'GET', path: '/subscriptions' }),
    ]);
    const subscriptions = isRefused(answer)
      ? undefined
      : (answer.body as SubscriptionsAnswer).subscriptions;
    const found = subscriptions?.find(({ id }) => id === from.changed);
    const isOpen = subscriptions?.some(
      ({ unpaid_change: unpaid }) => unpaid?.is_declined === false,
    );
    const standing = from.hasPaid && isOpen ? ON_ITS_WAY : found && standingNotice(found);
    const said = notice ?? (isRefused(answer) ? faultNotice(answer) : standing);
    return visit.show(subscriptionsPage(visit.context, { balance, subscriptions }, said), status);
  }
}

function pathOf(id: string, step?: string): string {
  const path = `/subscriptions/${encodeURIComponent(id)}`;
  return step === undefined ? path : `${path}/${step}`;
}
