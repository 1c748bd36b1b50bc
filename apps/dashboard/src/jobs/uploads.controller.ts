import { Body, Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  JOB_WHOIS,
  type JobAnswer,
  UPLOAD_BYTES_MAX,
  UPLOAD_CREATE,
  type UploadAnswer,
  atDashboard,
  limitsOf,
} from '#libs/contracts';
import { NotFound } from '#libs/platform';
import { AllowVisitors, OF_ACTIVE_ACCOUNTS } from '../browser/allow-visitors.js';
import type { Notice } from '../pages/layout.js';
import { PageForm } from '../pages/page-form.dto.js';
import { type PageVisit, faultNotice, isRefused } from '../pages/page-visit.js';
import { Visit } from '../pages/visit.js';
import { proxiedRoutes } from '../proxy/proxied-route.js';
import { TransferService } from '../proxy/transfer.service.js';
import { JOB_LABELS, type TypedOptions, optionsOf } from './job-fields.js';
import { uploadPage } from './jobs-page.js';
import { JobForm } from './jobs.dto.js';

const READING_SECONDS = 2;
const [UPLOAD_ROUTE] = proxiedRoutes([atDashboard(UPLOAD_CREATE)]);
const UPLOAD_FORM = {
  isUpload: true,
  isUploadForm: true,
  isTransfer: true,
  bodyLimitBytes: UPLOAD_BYTES_MAX,
};

@Controller('uploads')
@AllowVisitors('logged-in', OF_ACTIVE_ACCOUNTS)
export class UploadPagesController {
  constructor(private readonly transfers: TransferService) {}

  /**
   * Streams the file to the worker, and redirects to the page of the upload. Works without a
   * script.
   */
  @Post()
  @RouteConfig(UPLOAD_FORM)
  async create(
    @Visit() visit: PageVisit,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const call = {
      method: 'POST',
      path: UPLOAD_CREATE.owner.path,
      visitor: visit.visitor,
      accountId: visit.session.accountId,
    } as const;
    const leadTo = (answer: string) => `/uploads/${(JSON.parse(answer) as UploadAnswer).id}`;
    await this.transfers.pass(UPLOAD_ROUTE, call, request, reply, leadTo);
  }

  @Get(':id')
  get(@Visit() visit: PageVisit, @Param('id') id: string) {
    return this.show(visit, id);
  }

  @Post(':id/job')
  async start(
    @Visit() visit: PageVisit,
    @Body() { kind, format, max_age, types, idempotency_key: idempotencyKey }: JobForm,
    @Param('id') id: string,
  ) {
    const path = kind === 'dns' ? '/jobs/dns' : '/jobs/whois';
    const typed = { kind, format, max_age, types };
    const body = { upload_id: id, ...optionsOf(typed) };
    const { timeoutMs } = limitsOf(JOB_WHOIS);
    const answer = await visit.worker({ method: 'POST', path, body, idempotencyKey, timeoutMs });
    if (!isRefused(answer)) return visit.goTo(`/jobs/${(answer.body as JobAnswer).id}`);
    const notice = faultNotice(answer, JOB_LABELS);
    return this.show(visit, id, { notice, status: answer.status, typed });
  }

  @Post(':id/remove')
  async remove(@Visit() visit: PageVisit, @Body() _form: PageForm, @Param('id') id: string) {
    const path = `/uploads/${encodeURIComponent(id)}`;
    const answer = await visit.worker({ method: 'DELETE', path });
    if (!isRefused(answer)) return visit.goTo('/jobs');
    return this.show(visit, id, { notice: faultNotice(answer), status: answer.status });
  }

  private async show(
    visit: PageVisit,
    id: string,
    {
      notice,
      status = 200,
      typed,
    }: { notice?: Notice; status?: number; typed?: TypedOptions } = {},
  ) {
    const path = `/uploads/${encodeURIComponent(id)}`;
    const answer = await visit.worker({ method: 'GET', path });
    if (isRefused(answer)) throw answer.refusal ?? new NotFound();
    const upload = answer.body as UploadAnswer;
    if (upload.state === 'receiving' || upload.state === 'reading')
      visit.reloadIn(READING_SECONDS, path);
    if (upload.state !== 'ready') {
      return visit.show(uploadPage(visit.context, upload, { notice }), status);
    }
    const body = { upload_id: upload.id };
    const dry = await visit.worker({ method: 'POST', path: '/jobs/whois?dry_run=true', body });
    const dryRun = isRefused(dry) ? undefined : (dry.body as JobAnswer);
    const said = notice ?? (isRefused(dry) ? faultNotice(dry) : undefined);
    return visit.show(uploadPage(visit.context, upload, { dryRun, typed, notice: said }), status);
  }
}
