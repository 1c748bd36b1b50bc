import { Body, Controller, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  DnsJobRequest,
  OWN_JOB,
  OWN_JOBS,
  OWN_JOB_CANCEL,
  OWN_JOB_DNS,
  OWN_JOB_RESULTS,
  OWN_JOB_WHOIS,
  JobRequest,
  Pages,
  Question,
  type QuestionOf,
  Serves,
} from '#libs/contracts';
import { AccountId, sendFile } from '#libs/platform';
import { NewJobsService } from '../jobs/new-jobs.service.js';
import { JobsService } from '../jobs/jobs.service.js';
import { ResultsService } from './results.service.js';

/** Jobs, for their owner at the dashboard. */
@Controller()
export class OwnJobsController {
  constructor(
    private readonly newJobs: NewJobsService,
    private readonly jobs: JobsService,
    private readonly results: ResultsService,
    private readonly pages: Pages,
  ) {}

  @Serves(OWN_JOB_WHOIS)
  whois(
    @AccountId() accountId: string,
    @Question(OWN_JOB_WHOIS) { dry_run: isDryRun }: QuestionOf<typeof OWN_JOB_WHOIS>,
    @Body() request: JobRequest,
  ) {
    return this.newJobs.create(accountId, { kind: 'whois', request, isDryRun });
  }

  @Serves(OWN_JOB_DNS)
  dns(
    @AccountId() accountId: string,
    @Question(OWN_JOB_DNS) { dry_run: isDryRun }: QuestionOf<typeof OWN_JOB_DNS>,
    @Body() request: DnsJobRequest,
  ) {
    return this.newJobs.create(accountId, { kind: 'dns', request, isDryRun });
  }

  @Serves(OWN_JOBS)
  list(@AccountId() accountId: string, @Question(OWN_JOBS) question: QuestionOf<typeof OWN_JOBS>) {
    return this.jobs.list(accountId, this.pages.asked(OWN_JOBS, question));
  }

  @Serves(OWN_JOB)
  get(@AccountId() accountId: string, @Param('id') id: string) {
    return this.jobs.get(accountId, id);
  }

  @Serves(OWN_JOB_CANCEL)
  cancel(@AccountId() accountId: string, @Param('id') id: string) {
    return this.jobs.cancel(accountId, id);
  }

  @Serves(OWN_JOB_RESULTS)
  async download(
    @AccountId() accountId: string,
    @Param('id') id: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ) {
    const file = await this.results.open(accountId, id);
    if (typeof file === 'string') return void reply.redirect(file, 302);
    await sendFile(request, reply, file);
  }
}
