import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import {
  JOB_NAMES_MAX,
  JOB_WHOIS,
  type JobAnswer,
  type JobsAnswer,
  type UploadsAnswer,
  limitsOf,
} from '#libs/contracts';
import { grouped } from '../amounts.js';
import { AllowVisitors, OF_ACTIVE_ACCOUNTS } from '../browser/allow-visitors.js';
import type { Notice } from '../pages/layout.js';
import { OptionalText } from '../pages/optional-text.js';
import { PageForm } from '../pages/page-form.dto.js';
import { type PageVisit, faultNotice, isRefused } from '../pages/page-visit.js';
import { Visit } from '../pages/visit.js';
import { JOB_LABELS, optionsOf } from './job-fields.js';
import { RELOAD_SECONDS, jobPage } from './job-page.js';
import { isRunning } from './job-words.js';
import { jobsPage } from './jobs-page.js';
import { JobForm } from './jobs.dto.js';
import { type TypedJob, pricePage } from './price-page.js';

@Controller()
@AllowVisitors('logged-in', OF_ACTIVE_ACCOUNTS)
export class JobPagesController {
  @Get('jobs')
  list(@Visit() visit: PageVisit, @Query('cursor', OptionalText) cursor: string) {
    return this.show(visit, { cursor });
  }

  @Get('jobs/:id')
  get(
    @Visit() visit: PageVisit,
    @Param('id') id: string,
    @Query('reload', OptionalText) reload: string,
  ) {
    return this.showOne(visit, id, { isReloading: reload !== 'off' });
  }

  /** Shows the price for the typed names; then, as the visitor chooses, starts the job or shows the names again. */
  @Post('jobs')
  @RouteConfig({ hasLongField: true })
  async create(@Visit() visit: PageVisit, @Body() form: JobForm) {
    const { domainNames = '', kind, format, max_age, types, step } = form;
    const names = domainNames.split(/\r?\n/).filter((line) => line.trim() !== '');
    const typed = { domainNames: names.join('\n'), kind, format, max_age, types };
    if (step === 'edit') return this.show(visit, { typed });
    if (names.length > JOB_NAMES_MAX) {
      const notice = tooManyNotice(names.length);
      return this.show(visit, { notice, status: 413, typed });
    }
    const isStart = step === 'start';
    const call = callFor(names, typed, !isStart);
    const answer = await visit.worker({ ...call, idempotencyKey: form.idempotency_key });
    if (isRefused(answer)) {
      const notice = faultNotice(answer, JOB_LABELS);
      return this.show(visit, { notice, status: answer.status, typed });
    }
    const job = answer.body as JobAnswer;
    if (isStart) return visit.goTo(`/jobs/${job.id}`);
    return visit.show(pricePage(visit.context, typed, job));
  }

  @Post('jobs/:id/cancel')
  async cancel(@Visit() visit: PageVisit, @Body() _form: PageForm, @Param('id') id: string) {
    const answer = await visit.worker({ method: 'POST', path: `${pathOf(id)}/cancel`, body: {} });
    if (!isRefused(answer)) return visit.goTo(pathOf(id));
    return this.showOne(visit, id, { notice: faultNotice(answer), status: answer.status });
  }

  private async showOne(
    visit: PageVisit,
    id: string,
    {
      isReloading = true,
      notice,
      status,
    }: { isReloading?: boolean; notice?: Notice; status?: number },
  ) {
    const answer = await visit.worker({ method: 'GET', path: pathOf(id) });
    if (answer.refusal) throw answer.refusal;
    const job = answer.body as JobAnswer;
    if (isReloading && isRunning(job)) visit.reloadIn(RELOAD_SECONDS, pathOf(id));
    return visit.show(jobPage(visit.context, job, { isReloading, notice }), status);
  }

  private async show(visit: PageVisit, { cursor, notice, status = 200, typed }: Shown) {
    const query = cursor ? `?cursor=${encodeURIComponent(cursor)}` : '';
    const [answer, files] = await Promise.all([
      visit.worker({ method: 'GET', path: `/jobs${query}` }),
      visit.worker({ method: 'GET', path: '/uploads' }),
    ]);
    if (isRefused(answer)) {
      return visit.show(jobsPage(visit.context, { notice: faultNotice(answer) }), answer.status);
    }
    const jobs = answer.body as JobsAnswer;
    const { uploads } = isRefused(files) ? { uploads: undefined } : (files.body as UploadsAnswer);
    return visit.show(jobsPage(visit.context, { jobs, uploads, notice, typed }), status);
  }
}

function callFor(names: readonly string[], typed: TypedJob, isDryRun: boolean) {
  return {
    method: 'POST',
    path: `/jobs/${typed.kind === 'dns' ? 'dns' : 'whois'}${isDryRun ? '?dry_run=true' : ''}`,
    body: { domainNames: names, ...optionsOf(typed) },
    timeoutMs: limitsOf(JOB_WHOIS).timeoutMs,
  } as const;
}

const tooManyNotice = (count: number): Notice => ({
  kind: 'fault',
  text: `You entered ${grouped(count)} names. Up to ${grouped(JOB_NAMES_MAX)} can be entered; for more, upload a file.`,
});

const pathOf = (id: string) => `/jobs/${encodeURIComponent(id)}`;

interface Shown {
  cursor?: string;
  notice?: Notice;
  status?: number;
  typed?: TypedJob;
}
