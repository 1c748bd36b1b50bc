import { globSync, readFileSync } from 'node:fs';
import { RequestMethod, type ExecutionContext, type Type } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Method, OPERATIONS } from '#libs/contracts';
import { DashboardUnderTest } from '../../../test/dashboard/dashboard-under-test.js';
import { visitorTerms } from './browser/allow-visitors.js';
import { PAGES } from './pages.module.js';
import { proxiedRoutes } from './proxy/proxied-route.js';
import { proxyControllerOf } from './proxy/proxy-controller.js';

interface Page {
  who: string;
  method: Method;
  path: string;
}

const reflector = new Reflector();
const policyOf = (controller: Type, handler: object) =>
  visitorTerms(reflector, {
    getClass: () => controller,
    getHandler: () => handler,
  } as unknown as ExecutionContext);

/** Returns the pages and calls of a controller, with a value in place of each parameter. */
function pagesOf(controller: Type): Page[] {
  const base = String(Reflect.getMetadata('path', controller));
  const members = Object.values(Object.getOwnPropertyDescriptors(controller.prototype as object));
  return members.flatMap(({ value: handler }: { value?: object }) => {
    const method = handler && (Reflect.getMetadata('method', handler) as RequestMethod | undefined);
    if (handler === undefined || method === undefined) return [];
    const paths = [Reflect.getMetadata('path', handler) as string | string[]].flat();
    const { who } = policyOf(controller, handler);
    return paths.map((path) => ({
      who,
      method: RequestMethod[method] as Method,
      path: `/${base}/${path}`
        .replace(/\/+/g, '/')
        .replace(/:\w+/g, '1')
        .replace(/(.)\/$/, '$1'),
    }));
  });
}

describe('the policies of pages', () => {
  let under: DashboardUnderTest;

  beforeAll(async () => {
    under = await DashboardUnderTest.start();
  });
  afterAll(() => under?.stop());
  beforeEach(() => under.forget());

  it('S86: a page that does not say who may open it requires a session', () => {
    class Undeclared {
      page(): void {}
    }
    expect(policyOf(Undeclared, Undeclared.prototype.page)).toEqual({ who: 'logged-in' });
  });

  it('S29: opening a page calls for no change, except that the return from a payment page asks about its order', async () => {
    const controllers = [...PAGES, proxyControllerOf(proxiedRoutes(OPERATIONS))];
    const pages = controllers.flatMap(pagesOf).filter(({ method }) => method === 'GET');
    expect(pages.length).toBeGreaterThan(80);
    for (const { path } of pages) await under.get(path);
    const changes = under.changes().filter((line) => !/\/(links\/check|preview)$/.test(line));
    expect(changes).toEqual(['POST /internal/orders//return']);
  });

  it('S40: no page asks for card data, and none may load a processor’s script or show its page in a frame', async () => {
    const asking =
      /autocomplete="cc-|name="(card|cvc|cvv|iban)|<(iframe|embed)\b|js\.stripe\.com|paypal\.com\/sdk/i;
    const files = globSync('apps/dashboard/src/**/*.ts').filter((file) => !/\.spec\./.test(file));
    expect(files.length).toBeGreaterThan(100);
    expect(files.filter((file) => asking.test(readFileSync(file, 'utf8')))).toEqual([]);
    for (const path of ['/credits', '/plans', '/subscriptions']) {
      const { headers } = await under.get(path);
      const policy = String(headers['content-security-policy']).split('; ');
      expect(policy).toEqual(
        expect.arrayContaining([`default-src 'none'`, `script-src 'self'`, `form-action 'self'`]),
      );
      expect(policy.filter((rule) => /^(frame|child|object)-src/.test(rule))).toEqual([]);
    }
  });

  it('S86: without a session, every page and call that is not public is refused, and reaches no service', async () => {
    const controllers = [...PAGES, proxyControllerOf(proxiedRoutes(OPERATIONS))];
    const closed = controllers.flatMap(pagesOf).filter(({ who }) => who === 'logged-in');
    expect(closed.length).toBeGreaterThan(100);
    const [cookie] = under.cookie.split('; ');
    const open: unknown[] = [];
    for (const { method, path } of closed) {
      const { status, headers } = await under.send(method, path, { ...under.ours, cookie });
      const isRefused =
        status === 401 || (status === 303 && String(headers.location).startsWith('/log-in'));
      if (!isRefused) open.push([method, path, status]);
    }
    expect(open).toEqual([]);
    expect(under.arrived).toEqual([]);
  });
});
