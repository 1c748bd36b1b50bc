import { Body, Controller, Get, Param, Post } from '@nestjs/common';
import { JOB_FORMATS, type JobsAnswer } from '#libs/contracts';
import { AllowVisitors, OF_ACTIVE_ACCOUNTS } from '../browser/allow-visitors.js';
import type { Notice } from '../pages/layout.js';
import { PageForm } from '../pages/page-form.dto.js';
import { type PageVisit, faultNotice, isRefused } from '../pages/page-visit.js';
import { Visit } from '../pages/visit.js';
import { jobsPage } from './jobs-page.js';
import { JobForm } from './jobs.dto.js';

/** Bulk jobs of the account. */
@Controller()
@AllowVisitors('logged-in', OF_ACTIVE_ACCOUNTS)
export class JobPagesController {
  @Get('jobs')
  list(@Visit() visit: PageVisit) {
    return this.show(visit);
  }

  @Post('jobs')
  async create(@Visit() visit: PageVisit, @Body() { domainNames = '', kind, format }: JobForm) {
    const names = domainNames.split(/\r?\n/).filter((line) => line.trim() !== '');
    const path = kind === 'dns' ? '/jobs/dns' : '/jobs/whois';
    const chosen = JOB_FORMATS.find((one) => one === format);
    const body = { domainNames: names, ...(chosen && { format: chosen }) };
    const answer = await visit.worker({ method: 'POST', path, body });
    if (!isRefused(answer)) return visit.goTo('/jobs');
    return this.show(visit, faultNotice(answer), { status: answer.status, typed: domainNames });
  }

  @Post('jobs/:id/cancel')
  async cancel(@Visit() visit: PageVisit, @Body() _form: PageForm, @Param('id') id: string) {
    const path = `/jobs/${encodeURIComponent(id)}/cancel`;
    const answer = await visit.worker({ method: 'POST', path, body: {} });
    if (!isRefused(answer)) return visit.goTo('/jobs');
    return this.show(visit, faultNotice(answer), { status: answer.status });
  }

  private async show(visit: PageVisit, notice?: Notice, given: Given = {}) {
    const { status = 200, typed } = given;
    const answer = await visit.worker({ method: 'GET', path: '/jobs' });
    if (isRefused(answer)) {
      return visit.show(jobsPage(visit.context, [], faultNotice(answer)), answer.status);
    }
    const { jobs } = answer.body as JobsAnswer;
    return visit.show(jobsPage(visit.context, jobs, notice, typed), status);
  }
}

interface Given {
  status?: number;
  /** Rejected names, to be corrected. */
  typed?: string;
}
