import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import type { OrderAnswer, PaymentDetailsAnswer, SubscriptionAnswer } from '#libs/contracts';
import { AllowVisitors } from '../browser/allow-visitors.js';
import { DashboardCalls } from '../dashboard-calls.js';
import type { Notice } from '../pages/layout.js';
import { OptionalText } from '../pages/optional-text.js';
import { PageForm } from '../pages/page-form.dto.js';
import { type PageVisit, faultNotice, isRefused } from '../pages/page-visit.js';
import { Visit } from '../pages/visit.js';
import type { ProxiedAnswer } from '../proxy/service-proxy.js';
import { creditsPage, leavePage, orderPage } from './credits-pages.js';
import { OrderCreditsForm } from './credits.dto.js';

const AWAY: Notice = {
  kind: 'fault',
  text: 'Nothing can be bought right now. Try again later.',
};
const PAID: Notice = { kind: 'done', text: 'Paid. The credits arrive within moments.' };

/** Where a package is bought, and what was bought is seen and cancelled. */
@Controller()
@AllowVisitors('logged-in')
export class CreditsController {
  constructor(private readonly calls: DashboardCalls) {}

  /** The second is an address that processors' pages lead back to. */
  @Get(['credits', 'billing/subscriptions'])
  view(@Visit() visit: PageVisit) {
    return this.show(visit);
  }

  @Post('credits')
  async buy(@Visit() visit: PageVisit, @Body() form: OrderCreditsForm) {
    const body = { product: 'package', credits: Number(form.credits), processor: 'stripe' };
    const idempotencyKey = form.idempotency_key;
    const call = { method: 'POST', path: '/orders', body, idempotencyKey } as const;
    const answer = await visit.billing(call);
    if (isRefused(answer)) return this.showRefusal(visit, answer);
    return visit.goTo(`/credits/orders/${(answer.body as OrderAnswer).id}`);
  }

  /** Nothing of the address is believed but which order is asked about; billing asks the processor (S48). */
  @Get('billing/return')
  async comeBack(@Visit() visit: PageVisit, @Query('order', OptionalText) order: string) {
    const path = `/orders/${encodeURIComponent(order)}/return`;
    const answer = await visit.billing({ method: 'POST', path, body: {} });
    if (isRefused(answer)) return this.showRefusal(visit, answer);
    const { state } = answer.body as OrderAnswer;
    if (state !== 'paid') return visit.show(orderPage(visit.context, answer.body as OrderAnswer));
    return this.show(visit, PAID);
  }

  @Get('credits/orders/:id')
  async showOrder(@Visit() visit: PageVisit, @Param('id') id: string) {
    const path = `/orders/${encodeURIComponent(id)}`;
    const answer = await visit.billing({ method: 'GET', path });
    if (isRefused(answer)) return this.showRefusal(visit, answer);
    return visit.show(orderPage(visit.context, answer.body as OrderAnswer));
  }

  @Post('subscriptions/:id/cancel')
  cancel(@Visit() visit: PageVisit, @Body() _form: PageForm, @Param('id') id: string) {
    return this.changePlan(visit, id, 'cancel');
  }

  @Post('subscriptions/:id/undo')
  undo(@Visit() visit: PageVisit, @Body() _form: PageForm, @Param('id') id: string) {
    return this.changePlan(visit, id, 'undo');
  }

  @Post('subscriptions/:id/payment-details')
  async changeCard(@Visit() visit: PageVisit, @Body() _form: PageForm, @Param('id') id: string) {
    const path = `/subscriptions/${encodeURIComponent(id)}/payment-details`;
    const answer = await visit.billing({ method: 'POST', path, body: {} });
    if (isRefused(answer)) return this.showRefusal(visit, answer);
    const { redirect_url: url } = answer.body as PaymentDetailsAnswer;
    return visit.show(leavePage(visit.context, url));
  }

  private async changePlan(visit: PageVisit, id: string, step: 'cancel' | 'undo') {
    const path = `/subscriptions/${encodeURIComponent(id)}/${step}`;
    const answer = await visit.billing({ method: 'POST', path, body: {} });
    return isRefused(answer) ? this.showRefusal(visit, answer) : visit.goTo('/credits');
  }

  private showRefusal(visit: PageVisit, answer: ProxiedAnswer) {
    return this.show(visit, faultNotice(answer), answer.status);
  }

  private async show(visit: PageVisit, notice?: Notice, status = 200) {
    const [balance, subscriptions, orders] = await Promise.allSettled([
      this.calls.balance(visit.session),
      visit.billing({ method: 'GET', path: '/subscriptions' }),
      visit.billing({ method: 'GET', path: '/orders' }),
    ]);
    const bodyOf = <T>(settled: typeof orders) =>
      settled.status === 'fulfilled' && !isRefused(settled.value)
        ? (settled.value.body as T)
        : undefined;
    const facts = {
      spendable: balance.status === 'fulfilled' ? balance.value.spendable : undefined,
      subscriptions: bodyOf<{ subscriptions: SubscriptionAnswer[] }>(subscriptions)?.subscriptions,
      orders: bodyOf<{ orders: OrderAnswer[] }>(orders)?.orders,
    };
    const isAway = facts.orders === undefined;
    const said = notice ?? (isAway ? AWAY : undefined);
    return visit.show(creditsPage(visit.context, facts, said), status);
  }
}
