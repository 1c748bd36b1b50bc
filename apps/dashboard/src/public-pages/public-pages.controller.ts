import { Controller, Get, Header, Query } from '@nestjs/common';
import { Clock, DAY_MS, NotFound } from '#libs/platform';
import { html } from '#libs/public-http';
import { AllowVisitors } from '../browser/allow-visitors.js';
import { DashboardSettings } from '../dashboard-settings.js';
import { type Notice, page } from '../pages/layout.js';
import { OptionalText } from '../pages/optional-text.js';
import type { PageVisit } from '../pages/page-visit.js';
import { Visit } from '../pages/visit.js';
import { calculate } from '../credits/calculation.js';
import { documentsPage } from './documents-page.js';
import type { OperatorText } from './operator-texts.js';
import { COUNT_MAX, pricesPage } from './prices-page.js';
import { ServiceStatus } from './service-status.js';
import { statusPage } from './status-page.js';

/** How long readers of `security.txt` may rely on it; the RFC recommends less than a year. */
const CONTACT_VALID_MS = 30 * DAY_MS;

const FIRST_QUESTION = { operation: 'whois.live', count: 20_000 };

/** Serves the pages that anyone may see: prices, status, documents, and the operator's own texts. */
@Controller()
@AllowVisitors('anyone')
export class PublicPagesController {
  constructor(
    private readonly settings: DashboardSettings,
    private readonly status: ServiceStatus,
    private readonly clock: Clock,
  ) {}

  @Get('prices')
  prices(
    @Visit() visit: PageVisit,
    @Query('operation', OptionalText) operation: string,
    @Query('count', OptionalText) count: string,
  ) {
    const { apiUrl } = this.settings;
    if (operation === '') return visit.show(pricesPage(visit.context, FIRST_QUESTION, { apiUrl }));
    const asked = { operation, count: Number(count) };
    const isProper = Number.isInteger(asked.count) && asked.count > 0 && asked.count <= COUNT_MAX;
    const found = isProper ? calculate(operation, asked.count) : undefined;
    if (found) return visit.show(pricesPage(visit.context, asked, { apiUrl, found }));
    const text = `Answers must be a whole number from 1 to ${COUNT_MAX.toLocaleString('en-US')}, of an operation from the list.`;
    const notice: Notice = { kind: 'fault', text };
    return visit.show(pricesPage(visit.context, FIRST_QUESTION, { apiUrl, notice }), 400);
  }

  @Get('status')
  async now(@Visit() visit: PageVisit) {
    return visit.show(statusPage(visit.context, await this.status.now()));
  }

  @Get('documents')
  documents(@Visit() visit: PageVisit) {
    return visit.show(documentsPage(visit.context, this.settings.apiUrl));
  }

  @Get('terms')
  terms(@Visit() visit: PageVisit) {
    return this.text(visit, 'Terms', 'terms');
  }

  @Get('privacy')
  privacy(@Visit() visit: PageVisit) {
    return this.text(visit, 'Privacy', 'privacy');
  }

  @Get('contact')
  contact(@Visit() visit: PageVisit) {
    return this.text(visit, 'Contact', 'contact');
  }

  /** Tells people who find a vulnerability where to report it (RFC 9116). @throws NotFound without an address. */
  @Get('.well-known/security.txt')
  @Header('content-type', 'text/plain; charset=utf-8')
  securityContact() {
    const { origin, contactAddress } = this.settings;
    if (contactAddress === undefined) throw new NotFound();
    const expires = new Date(this.clock.now().getTime() + CONTACT_VALID_MS).toISOString();
    return `Contact: mailto:${contactAddress}
Expires: ${expires}
Preferred-Languages: en
Canonical: ${origin}/.well-known/security.txt
`;
  }

  private text(visit: PageVisit, title: string, name: OperatorText) {
    const body = html`<section>${this.settings.texts[name]}</section>`;
    return visit.show(page(visit.context, { title, body }));
  }
}
