import { RequestMethod, type ExecutionContext, type Type } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
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

  it('S86: a page that does not say who may open it requires a session', () => {
    class Undeclared {
      page(): void {}
    }
    expect(policyOf(Undeclared, Undeclared.prototype.page)).toEqual({ who: 'logged-in' });
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
