import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import type { BillingInterval, OrderAnswer, SubscriptionsAnswer } from '#libs/contracts';
import { AllowVisitors, OF_ACTIVE_ACCOUNTS } from '../browser/allow-visitors.js';
import { addedTax } from '../credits/added-tax.js';
import { processorChoice } from '../credits/processor-choice.js';
import type { Notice } from '../pages/layout.js';
import { OptionalText } from '../pages/optional-text.js';
import { type PageVisit, faultNotice, isRefused } from '../pages/page-visit.js';
import { Visit } from '../pages/visit.js';
import { plansPage } from './plans-page.js';
import { SubscribeForm } from './plans.dto.js';

interface Shown {
  interval: BillingInterval;
  processor: string;
  notice?: Notice;
  status?: number;
}

@Controller('plans')
@AllowVisitors('logged-in', OF_ACTIVE_ACCOUNTS)
export class PlansController {
  @Get()
  view(
    @Visit() visit: PageVisit,
    @Query('interval', OptionalText) interval: string,
    @Query('processor', OptionalText) processor: string,
  ) {
    return this.show(visit, { interval: interval === 'year' ? 'year' : 'month', processor });
  }

  @Post()
  async subscribe(@Visit() visit: PageVisit, @Body() form: SubscribeForm) {
    const { sku = '', quantity = '1', processor = 'stripe' } = form;
    const idempotencyKey = form.idempotency_key;
    const body = { product: 'subscription', sku, quantity: Number(quantity), processor };
    const call = { method: 'POST', path: '/orders', body, idempotencyKey } as const;
    const answer = await visit.billing(call);
    if (!isRefused(answer)) return visit.goTo(`/credits/orders/${(answer.body as OrderAnswer).id}`);
    const interval = sku.endsWith('-year') ? 'year' : 'month';
    const notice = faultNotice(answer);
    return this.show(visit, { interval, processor, notice, status: answer.status });
  }

  private async show(visit: PageVisit, { interval, processor, notice, status = 200 }: Shown) {
    const [processors, tax, answer] = await Promise.all([
      processorChoice(visit, processor),
      addedTax(visit),
      visit.billing({ method: 'GET', path: '/subscriptions' }),
    ]);
    if (isRefused(answer)) {
      const page = plansPage(visit.context, { interval, processors, tax }, faultNotice(answer));
      return visit.show(page, answer.status);
    }
    const { subscriptions: owned } = answer.body as SubscriptionsAnswer;
    return visit.show(
      plansPage(visit.context, { interval, owned, processors, tax }, notice),
      status,
    );
  }
}
