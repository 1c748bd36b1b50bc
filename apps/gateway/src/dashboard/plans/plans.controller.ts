import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import type { BillingInterval, OrderAnswer, SubscriptionsAnswer } from '#libs/contracts';
import { AllowVisitors } from '../browser/allow-visitors.js';
import type { Notice } from '../pages/layout.js';
import { OptionalText } from '../pages/optional-text.js';
import { type PageVisit, faultNotice, isRefused } from '../pages/page-visit.js';
import { Visit } from '../pages/visit.js';
import { plansPage } from './plans-page.js';
import { SubscribeForm } from './plans.dto.js';

/** What can be subscribed to. */
@Controller('plans')
@AllowVisitors('logged-in')
export class PlansController {
  @Get()
  view(@Visit() visit: PageVisit, @Query('interval', OptionalText) interval: string) {
    return this.show(visit, interval === 'year' ? 'year' : 'month');
  }

  @Post()
  async subscribe(@Visit() visit: PageVisit, @Body() form: SubscribeForm) {
    const { sku = '', quantity = '1', idempotency_key: idempotencyKey } = form;
    const body = {
      product: 'subscription',
      sku,
      quantity: Number(quantity),
      processor: 'stripe',
    };
    const call = { method: 'POST', path: '/orders', body, idempotencyKey } as const;
    const answer = await visit.billing(call);
    if (!isRefused(answer)) return visit.goTo(`/credits/orders/${(answer.body as OrderAnswer).id}`);
    const interval = sku.endsWith('-year') ? 'year' : 'month';
    return this.show(visit, interval, { notice: faultNotice(answer), status: answer.status });
  }

  private async show(
    visit: PageVisit,
    interval: BillingInterval,
    { notice, status = 200 }: { notice?: Notice; status?: number } = {},
  ) {
    const answer = await visit.billing({ method: 'GET', path: '/subscriptions' });
    if (isRefused(answer)) {
      return visit.show(plansPage(visit.context, { interval }, faultNotice(answer)), answer.status);
    }
    const { subscriptions: owned } = answer.body as SubscriptionsAnswer;
    return visit.show(plansPage(visit.context, { interval, owned }, notice), status);
  }
}
