import { type DynamicModule, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { EntitlementClient, OPERATIONS, openApi } from '#libs/contracts';
import { AccountExports } from '#libs/database';
import { Clock } from '#libs/platform';
import { AccountController } from './dashboard/account/account.controller.js';
import { OverviewController } from './dashboard/account/overview.controller.js';
import { CredentialPagesController } from './dashboard/account/credentials.controller.js';
import { AuthController } from './dashboard/auth/auth.controller.js';
import { ForgeryGuard } from './dashboard/browser/forgery-guard.js';
import { SessionGuard } from './dashboard/browser/session-guard.js';
import { CreditsController } from './dashboard/credits/credits.controller.js';
import { DashboardCalls } from './dashboard/dashboard-calls.js';
import { DashboardSettings } from './dashboard/dashboard-settings.js';
import { InvoicePagesController } from './dashboard/invoices/invoices.controller.js';
import { KeysController } from './dashboard/keys/keys.controller.js';
import { MailboxController } from './dashboard/mailbox/mailbox.controller.js';
import { AssetsController } from './dashboard/assets/assets.controller.js';
import { PlansController } from './dashboard/plans/plans.controller.js';
import { CallDocsController } from './dashboard/proxy/call-docs.controller.js';
import { OwnCalls } from './dashboard/proxy/own-calls.js';
import { JoinedAnswersService } from './dashboard/proxy/joined-answers.service.js';
import { proxiedRoutes } from './dashboard/proxy/proxied-route.js';
import { proxyControllerOf } from './dashboard/proxy/proxy-controller.js';
import { ProxyService } from './dashboard/proxy/proxy.service.js';
import { ServiceProxies } from './dashboard/proxy/service-proxies.js';
import { RequestPagesController } from './dashboard/requests/requests.controller.js';
import { SessionPagesController } from './dashboard/sessions/sessions.controller.js';
import { SubscriptionPagesController } from './dashboard/subscriptions/subscriptions.controller.js';
import { UsagePageController } from './dashboard/usage/usage.controller.js';
import { UsageService } from './usage/usage.service.js';
import type { DashboardOptions } from './dashboard/dashboard-options.js';

/** One for each group of pages. */
const PAGES = [
  AssetsController,
  AuthController,
  OverviewController,
  AccountController,
  CredentialPagesController,
  KeysController,
  UsagePageController,
  SessionPagesController,
  CreditsController,
  PlansController,
  SubscriptionPagesController,
  InvoicePagesController,
  RequestPagesController,
  CallDocsController,
];

/** Pages and calls of the dashboard's listener. The guards look at every one of them, in this order. */
@Module({})
export class DashboardModule {
  static register(options: DashboardOptions): DynamicModule {
    const {
      publicUrl,
      apiUrl,
      mailbox,
      isDataSimulated,
      owners,
      tokens,
      operations = OPERATIONS,
    } = options;
    const { origin } = new URL(publicUrl);
    const title = 'Domain Data Service, dashboard';
    const described = openApi(operations, { title, version: '2.0', origin, listener: 'dashboard' });
    const description = JSON.stringify(described);
    const settings: DashboardSettings = { origin, apiUrl, mailbox, isDataSimulated, description };
    return {
      module: DashboardModule,
      controllers: [
        ...PAGES,
        ...(mailbox ? [MailboxController] : []),
        proxyControllerOf(proxiedRoutes(operations)),
      ],
      providers: [
        { provide: Clock, useValue: options.clock },
        { provide: DashboardSettings, useValue: settings },
        { provide: EntitlementClient, useValue: options.entitlement },
        { provide: OwnCalls, useValue: new OwnCalls(options.own) },
        { provide: UsageService, useValue: options.usage },
        { provide: ServiceProxies, useValue: new ServiceProxies(owners, tokens) },
        { provide: APP_GUARD, useClass: ForgeryGuard },
        { provide: APP_GUARD, useClass: SessionGuard },
        { provide: AccountExports, useValue: options.exports },
        DashboardCalls,
        JoinedAnswersService,
        ProxyService,
      ],
    };
  }
}
