import {
  type ExecutionContext,
  Injectable,
  type PipeTransform,
  createParamDecorator,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DashboardCalls } from '../dashboard-calls.js';
import { DashboardSettings } from '../dashboard-settings.js';
import { PageVisit } from './page-visit.js';

interface Exchange {
  request: FastifyRequest;
  reply: FastifyReply;
}

const RequestAndReply = createParamDecorator((_: unknown, context: ExecutionContext): Exchange => {
  const http = context.switchToHttp();
  return { request: http.getRequest(), reply: http.getResponse() };
});

@Injectable()
class ToVisit implements PipeTransform<Exchange, PageVisit> {
  constructor(
    private readonly calls: DashboardCalls,
    private readonly settings: DashboardSettings,
  ) {}

  transform({ request, reply }: Exchange): PageVisit {
    return new PageVisit(request, reply, this.calls, this.settings);
  }
}

/** Injects the visit that a page's method answers. */
export const Visit = () => RequestAndReply(ToVisit);
