import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import type {
  BalanceAnswer,
  OrderAnswer,
  OrdersAnswer,
  SubscriptionsAnswer,
} from '#libs/contracts';
import { Clock } from '#libs/platform';
import { grouped } from '../amounts.js';
import { AllowVisitors, OF_ACTIVE_ACCOUNTS } from '../browser/allow-visitors.js';
import { DashboardCalls } from '../dashboard-calls.js';
import type { Notice } from '../pages/layout.js';
import { OptionalText } from '../pages/optional-text.js';
import { PageForm } from '../pages/page-form.dto.js';
import { type PageVisit, faultNotice, isRefused } from '../pages/page-visit.js';
import { Visit } from '../pages/visit.js';
import type { ProxiedAnswer } from '../service-calls/service-proxy.js';
import { addedTax } from './added-tax.js';
import { creditsPage, packageFor } from './credits-pages.js';
import { OrderCreditsForm } from './credits.dto.js';
import { firstToEnd } from './grants-table.js';
import { orderPage } from './order-page.js';
import { processorChoice } from './processor-choice.js';

const AWAY: Notice = {
  kind: 'fault',
  text: 'Nothing can be bought right now. Try again later.',
};

interface Shown {
  notice?: Notice;
  status?: number;
  processor?: string;
  credits?: number;
  wanted?: number;
  /** The start of the list of orders. */
  cursor?: string;
}

function roundedNotice(wanted: number, credits: number | undefined): Notice {
  const text =
    credits === undefined
      ? `No package has ${grouped(wanted)} credits. Buy several.`
      : `No package has exactly ${grouped(wanted)} credits. The next larger one has ${grouped(credits)} and is selected below.`;
  return { kind: 'note', text };
}

@Controller()
@AllowVisitors('logged-in', OF_ACTIVE_ACCOUNTS)
export class CreditsController {
  constructor(
    private readonly calls: DashboardCalls,
    private readonly clock: Clock,
  ) {}

  @Get('credits')
  view(
    @Visit() visit: PageVisit,
    @Query('processor', OptionalText) processor: string,
    @Query('amount', OptionalText) amount: string,
    @Query('cursor', OptionalText) cursor: string,
  ) {
    const wanted = /^\d{1,9}$/.test(amount) ? Number(amount) : undefined;
    const credits = wanted === undefined ? undefined : packageFor(wanted);
    const notice = wanted === credits ? undefined : roundedNotice(wanted!, credits);
    return this.show(visit, { processor, credits, notice, wanted, cursor });
  }

  @Post('credits')
  async buy(@Visit() visit: PageVisit, @Body() form: OrderCreditsForm) {
    const { processor = 'stripe', credits } = form;
    const body = { product: 'package', credits: Number(credits), processor };
    const idempotencyKey = form.idempotency_key;
    const call = { method: 'POST', path: '/orders', body, idempotencyKey } as const;
    const answer = await visit.billing(call);
    if (isRefused(answer)) {
      const entered = { processor, credits: Number(credits) };
      return this.show(visit, { ...entered, notice: faultNotice(answer), status: answer.status });
    }
    return visit.goTo(`/credits/orders/${(answer.body as OrderAnswer).id}`);
  }

  /**
   * Answers a customer's return from a processor. Only the order's id comes from the URL; billing asks the processor
   * about the payment (S48).
   */
  @Get('billing/return')
  async comeBack(
    @Visit() visit: PageVisit,
    @Query('order', OptionalText) id: string,
    @Query('cancelled', OptionalText) cancelled: string,
  ) {
    // After a declined payment, asking PayPal would try it again, although the customer has just cancelled.
    if (cancelled !== '') return this.answerOrder(visit, await this.orderOf(visit, id), true);
    const path = `/orders/${encodeURIComponent(id)}/return`;
    return this.answerOrder(visit, await visit.billing({ method: 'POST', path, body: {} }));
  }

  @Get('credits/orders/:id')
  async showOrder(@Visit() visit: PageVisit, @Param('id') id: string) {
    return this.answerOrder(visit, await this.orderOf(visit, id));
  }

  @Post('credits/orders/:id/drop')
  async dropOrder(@Visit() visit: PageVisit, @Body() _form: PageForm, @Param('id') id: string) {
    const path = `/orders/${encodeURIComponent(id)}/drop`;
    return this.answerOrder(visit, await visit.billing({ method: 'POST', path, body: {} }));
  }

  private orderOf(visit: PageVisit, id: string): Promise<ProxiedAnswer> {
    return visit.billing({ method: 'GET', path: `/orders/${encodeURIComponent(id)}` });
  }

  private async answerOrder(visit: PageVisit, answer: ProxiedAnswer, wasCancelled = false) {
    if (isRefused(answer)) {
      return this.show(visit, { notice: faultNotice(answer), status: answer.status });
    }
    const balance = await this.calls.balance(visit.session).catch(() => undefined);
    const order = answer.body as OrderAnswer;
    const isOfPlan = order.lines.some(({ credits }) => credits === null);
    const read = isOfPlan
      ? await visit.billing({ method: 'GET', path: '/subscriptions' })
      : undefined;
    const subscriptions =
      read && !isRefused(read) ? (read.body as SubscriptionsAnswer).subscriptions : [];
    const now = this.clock.now();
    const facts = { order, balance, subscriptions, wasCancelled, now };
    return visit.show(orderPage(visit.context, facts));
  }

  private async show(
    visit: PageVisit,
    { notice, status = 200, processor = '', credits, wanted, cursor }: Shown = {},
  ) {
    const query = cursor ? `?cursor=${encodeURIComponent(cursor)}` : '';
    const asked = Promise.allSettled([
      this.calls.balance(visit.session),
      visit.billing({ method: 'GET', path: `/orders${query}` }),
    ]);
    const [processors, tax, [balance, orders]] = await Promise.all([
      processorChoice(visit, processor),
      addedTax(visit),
      asked,
    ]);
    const answered =
      orders.status === 'fulfilled' && !isRefused(orders.value)
        ? (orders.value.body as Partial<OrdersAnswer>)
        : undefined;
    const facts = {
      spendable: balance.status === 'fulfilled' ? leftOf(balance.value) : undefined,
      ending: balance.status === 'fulfilled' ? firstToEnd(balance.value) : undefined,
      orders: answered?.orders,
      olderCursor: answered?.paging?.next_cursor ?? undefined,
      processors,
      tax,
      credits,
      wanted,
    };
    const isAway = facts.orders === undefined;
    const said = notice ?? (isAway ? AWAY : undefined);
    return visit.show(creditsPage(visit.context, facts, said), status);
  }
}

/** Returns the remaining credits, as the API's answers state them in `X-Credits-Remaining`. */
function leftOf({ spendable, reserved }: BalanceAnswer): number {
  return spendable + reserved;
}
