import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { DashboardSettings } from '../dashboard-settings.js';
import { CrossSiteRequest, CsrfTokenInvalid } from './browser.errors.js';
import { visitorTerms } from './allow-visitors.js';
import { CSRF_COOKIE, readCookie } from './cookies.js';
import { forgeryFault } from './request-forgery.js';

const CHANGES_NOTHING = ['GET', 'HEAD', 'OPTIONS'];

/** Accepts a state-changing request from a browser only if it comes from the dashboard's own pages (S29). */
@Injectable()
export class ForgeryGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly settings: DashboardSettings,
  ) {}

  /** @throws CrossSiteRequest, CsrfTokenInvalid. */
  canActivate(context: ExecutionContext): boolean {
    const { method, headers, body } = context.switchToHttp().getRequest<FastifyRequest>();
    if (CHANGES_NOTHING.includes(method)) return true;
    if (visitorTerms(this.reflector, context).who === 'signed') return true;
    const fault = forgeryFault(
      {
        origin: headers.origin,
        fetchSite: headers['sec-fetch-site'] as string | undefined,
        cookieToken: readCookie(headers.cookie, CSRF_COOKIE),
        sentToken:
          (headers['x-csrf-token'] as string | undefined) ?? textOf((body as FormBody)?.csrf),
      },
      this.settings.origin,
    );
    if (fault === 'cross_site') throw new CrossSiteRequest();
    if (fault === 'token') throw new CsrfTokenInvalid();
    return true;
  }
}

type FormBody = { csrf?: unknown } | undefined;

const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined);
