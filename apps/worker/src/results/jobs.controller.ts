import { Body, Controller, Headers, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  DnsJobRequest,
  JOB,
  JOBS,
  JOB_CANCEL,
  JOB_DNS,
  JOB_RESULTS,
  JOB_WHOIS,
  JobRequest,
  Pages,
  Question,
  type QuestionOf,
  Serves,
} from '#libs/contracts';
import { AccountId, idempotencyKeyOf, sendFile } from '#libs/platform';
import { NewJobsService } from '../jobs/new-jobs.service.js';
import { JobsService } from '../jobs/jobs.service.js';
import { ResultsService } from './results.service.js';

@Controller()
export class JobsController {
  constructor(
    private readonly newJobs: NewJobsService,
    private readonly jobs: JobsService,
    private readonly results: ResultsService,
    private readonly pages: Pages,
  ) {}

  @Serves(JOB_WHOIS)
  whois(
    @AccountId() accountId: string,
    @Question(JOB_WHOIS) { dry_run: isDryRun }: QuestionOf<typeof JOB_WHOIS>,
    @Body() request: JobRequest,
    @Headers('idempotency-key') key?: string,
  ) {
    const idempotencyKey = idempotencyKeyOf(key);
    return this.newJobs.create(accountId, { kind: 'whois', request, isDryRun, idempotencyKey });
  }

  @Serves(JOB_DNS)
  dns(
    @AccountId() accountId: string,
    @Question(JOB_DNS) { dry_run: isDryRun }: QuestionOf<typeof JOB_DNS>,
    @Body() request: DnsJobRequest,
    @Headers('idempotency-key') key?: string,
  ) {
    const idempotencyKey = idempotencyKeyOf(key);
    return this.newJobs.create(accountId, { kind: 'dns', request, isDryRun, idempotencyKey });
  }

  @Serves(JOBS)
  list(@AccountId() accountId: string, @Question(JOBS) question: QuestionOf<typeof JOBS>) {
    return this.jobs.list(accountId, this.pages.asked(JOBS, question));
  }

  @Serves(JOB)
  get(@AccountId() accountId: string, @Param('id') id: string) {
    return this.jobs.get(accountId, id);
  }

  @Serves(JOB_CANCEL)
  cancel(@AccountId() accountId: string, @Param('id') id: string) {
    return this.jobs.cancel(accountId, id);
  }

  @Serves(JOB_RESULTS)
  async download(
    @AccountId() accountId: string,
    @Param('id') id: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ) {
    await sendFile(request, reply, await this.results.open(accountId, id));
  }
}
