import { Controller, Req, RequestMapping, RequestMethod, Res, type Type } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AllowVisitors } from '../browser/allow-visitors.js';
import type { ProxiedRoute } from './proxied-route.js';
import { ProxyService } from './proxy.service.js';

/** Returns a controller with a method for each call of the table. The guards of pages also check these calls. */
export function proxyControllerOf(routes: readonly ProxiedRoute[]): Type {
  @Controller()
  class ProxyController {
    constructor(readonly proxy: ProxyService) {}
  }
  for (const route of routes) addMethod(ProxyController.prototype, route);
  return ProxyController;
}

function addMethod(prototype: { proxy: ProxyService }, route: ProxiedRoute): void {
  const name = `${route.method} ${route.path}`;
  const methods = {
    async [name](this: typeof prototype, request: FastifyRequest, reply: FastifyReply) {
      await this.proxy.forward(route, request, reply);
    },
  };
  const method = Object.getOwnPropertyDescriptor(methods, name)!;
  Object.defineProperty(prototype, name, method);
  Req()(prototype, name, 0);
  Res()(prototype, name, 1);
  const path = route.path.replace(/\{(\w+)\}/g, ':$1');
  const { who, terms, bodyLimitBytes, signed, transfer } = route;
  const isUpload = (transfer?.upload?.types.length ?? 0) > 0;
  for (const decorate of [
    RequestMapping({ method: RequestMethod[route.method], path }),
    RouteConfig({ bodyLimitBytes, signed, isUpload, isTransfer: transfer !== undefined }),
    AllowVisitors(who, terms),
  ]) {
    decorate(prototype, name, method);
  }
}
