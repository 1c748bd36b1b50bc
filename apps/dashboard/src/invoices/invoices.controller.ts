import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import type { BillingDetails, InvoicesAnswer } from '#libs/contracts';
import { AllowVisitors, OF_ACTIVE_ACCOUNTS } from '../browser/allow-visitors.js';
import type { Notice } from '../pages/layout.js';
import { OptionalText } from '../pages/optional-text.js';
import { PageForm } from '../pages/page-form.dto.js';
import { type PageVisit, faultNotice, isRefused } from '../pages/page-visit.js';
import { Visit } from '../pages/visit.js';
import {
  DETAIL_NAMES,
  type InvoicesAsked,
  billingDetailsPage,
  invoicesPage,
  invoicesQuery,
} from './invoices-page.js';
import { BillingDetailsForm } from './invoices.dto.js';

const SAVED: Notice = { kind: 'done', text: 'Saved. Invoices show it from now on.' };

const ALL: InvoicesAsked = { from: '', to: '', state: '' };
const PAGE_SIZE = 50;
const DAYS = { from: 'From', to: 'To', state: 'State' };

interface Shown {
  asked?: InvoicesAsked;
  cursor?: string;
  notice?: Notice;
  status?: number;
}

@Controller()
@AllowVisitors('logged-in', OF_ACTIVE_ACCOUNTS)
export class InvoicePagesController {
  @Get('invoices')
  list(
    @Visit() visit: PageVisit,
    @Query('from', OptionalText) from: string,
    @Query('to', OptionalText) to: string,
    @Query('state', OptionalText) state: string,
    @Query('cursor', OptionalText) cursor: string,
  ) {
    return this.show(visit, { asked: { from, to, state }, cursor });
  }

  @Post('invoices/:id/regenerate')
  async regenerate(@Visit() visit: PageVisit, @Body() _form: PageForm, @Param('id') id: string) {
    const path = `/invoices/${encodeURIComponent(id)}/regenerate`;
    const answer = await visit.billing({ method: 'POST', path, body: {} });
    if (!isRefused(answer)) return visit.goTo('/invoices');
    return this.show(visit, { notice: faultNotice(answer), status: answer.status });
  }

  @Get('billing-details')
  async details(@Visit() visit: PageVisit) {
    const answer = await visit.account({ method: 'GET', path: '/billing-details' });
    const notice = isRefused(answer) ? faultNotice(answer) : undefined;
    const { details } = answer.body as { details?: BillingDetails | null };
    return visit.show(billingDetailsPage(visit.context, details ?? {}, notice), answer.status);
  }

  @Post('billing-details')
  async saveDetails(@Visit() visit: PageVisit, @Body() form: BillingDetailsForm) {
    const filled = DETAIL_NAMES.map((name) => [name, form[name]?.trim()] as const);
    const body = Object.fromEntries(filled.filter(([, text]) => text));
    const answer = await visit.account({ method: 'PUT', path: '/billing-details', body });
    const notice = isRefused(answer) ? faultNotice(answer) : SAVED;
    return visit.show(billingDetailsPage(visit.context, body, notice), answer.status);
  }

  private async show(
    visit: PageVisit,
    { asked = ALL, cursor = '', notice, status = 200 }: Shown = {},
  ) {
    const query = invoicesQuery(asked, { cursor, page_size: String(PAGE_SIZE) });
    const answer = await visit.billing({ method: 'GET', path: `/invoices?${query}` });
    if (isRefused(answer)) {
      const page = invoicesPage(visit.context, { invoices: [], asked }, faultNotice(answer, DAYS));
      return visit.show(page, answer.status);
    }
    const { invoices, paging } = answer.body as InvoicesAnswer;
    const nextCursor = paging.next_cursor ?? undefined;
    return visit.show(invoicesPage(visit.context, { invoices, asked, nextCursor }, notice), status);
  }
}
