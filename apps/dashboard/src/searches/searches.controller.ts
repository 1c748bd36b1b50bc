import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { PREVIEW } from '#libs/contracts';
import { NotFound } from '#libs/platform';
import { AllowVisitors, OF_ACTIVE_ACCOUNTS } from '../browser/allow-visitors.js';
import { DashboardCalls } from '../dashboard-calls.js';
import { DashboardSettings } from '../dashboard-settings.js';
import type { Notice } from '../pages/layout.js';
import { type PageVisit, faultNotice } from '../pages/page-visit.js';
import { Visit } from '../pages/visit.js';
import { type Item, type Search, type Typed, askedOf } from './search.js';
import { type Remedy, searchPage, searchesPage } from './search-page.js';
import { SEARCH_FIELDS, SearchForm } from './searches.dto.js';
import { searchOf } from './searches.js';

/** The page where the problem behind a rejection can be solved, by error code. */
const REMEDIES: Readonly<Record<string, Remedy>> = {
  insufficient_credits: { href: '/credits', text: 'Buy credits' },
  rate_limited: { href: '/plans', text: 'Plans with more requests a minute' },
};

interface Shown {
  answer?: Item;
  notice?: Notice;
  status?: number;
  remedy?: Remedy;
}

/** Serves a page for each lookup and search. Opening a page costs nothing; only its form makes a request. */
@Controller('search')
@AllowVisitors('logged-in', OF_ACTIVE_ACCOUNTS)
export class SearchesController {
  constructor(
    private readonly calls: DashboardCalls,
    private readonly settings: DashboardSettings,
  ) {}

  @Get()
  list(@Visit() visit: PageVisit) {
    return visit.show(searchesPage(visit.context));
  }

  /** Shows the page, with its form filled in from the URL. @throws NotFound. */
  @Get(':name')
  async form(
    @Visit() visit: PageVisit,
    @Param('name') name: string,
    @Query() query: Readonly<Record<string, unknown>>,
  ) {
    return this.show(visit, find(name), typedOf(query));
  }

  /** Makes the request, at the price that the page shows. @throws NotFound; the errors of `PageVisit.ask`. */
  @Post(':name')
  async ask(@Visit() visit: PageVisit, @Body() form: SearchForm, @Param('name') name: string) {
    const search = find(name);
    const { preview, cursor } = form;
    const given = typedOf({ ...form });
    const typed: Typed = preview ? { ...given, mode: PREVIEW } : given;
    const asked = askedOf(search, cursor ? { ...typed, cursor } : typed);
    const answer = await visit.ask({ operation: search.row.name, ...asked });
    if (!answer.refusal) return this.show(visit, search, typed, { answer: answer.body as Item });
    const remedy = REMEDIES[answer.refusal.code];
    const notice = faultNotice(answer);
    return this.show(visit, search, typed, { notice, status: answer.status, remedy });
  }

  private async show(visit: PageVisit, search: Search, typed: Typed, shown: Shown = {}) {
    const { notice, status, ...rest } = shown;
    const { apiUrl } = this.settings;
    // The answer of a search states the remaining credits.
    const credits = rest.answer ? undefined : await this.calls.creditsOf(visit.session);
    const page = searchPage(visit.context, search, { typed, credits, apiUrl, ...rest }, notice);
    return visit.show(page, status);
  }
}

function find(name: string): Search {
  const search = searchOf(name);
  if (!search) throw new NotFound();
  return search;
}

/** Returns the form's values. Empty fields are ignored. */
function typedOf(given: Readonly<Record<string, unknown>>): Typed {
  const typed = SEARCH_FIELDS.flatMap((name) => {
    const text = given[name];
    return typeof text === 'string' && text.trim() !== '' ? [[name, text.trim()] as const] : [];
  });
  return Object.fromEntries(typed);
}
