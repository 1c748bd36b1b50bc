import { type DynamicModule, Module } from '@nestjs/common';
import { APP_GUARD, APP_INTERCEPTOR } from '@nestjs/core';
import { OPERATIONS, type Operation, openApi } from '#libs/contracts';
import { Clock, SECOND_MS, serviceOrigins } from '#libs/platform';
import { Transfers } from '#libs/public-http';
import { AccountController } from './account/account.controller.js';
import { OverviewController } from './account/overview.controller.js';
import { CredentialPagesController } from './account/credentials.controller.js';
import { ProviderPagesController } from './auth/provider.controller.js';
import { AuthController } from './auth/auth.controller.js';
import { ForgeryGuard } from './browser/forgery-guard.js';
import { SessionGuard } from './browser/session-guard.js';
import { CreditsController } from './credits/credits.controller.js';
import { DashboardCalls } from './dashboard-calls.js';
import { DashboardSettings } from './dashboard-settings.js';
import { FilePagesController } from './files/files.controller.js';
import { InvoicePagesController } from './invoices/invoices.controller.js';
import { JobPagesController } from './jobs/jobs.controller.js';
import { UploadPagesController } from './jobs/uploads.controller.js';
import { KeysController } from './keys/keys.controller.js';
import { LedgerController } from './ledger/ledger.controller.js';
import { MailboxController } from './mailbox/mailbox.controller.js';
import { MonitorPagesController } from './monitors/monitors.controller.js';
import { AssetsController } from './assets/assets.controller.js';
import { PlaygroundController } from './playground/playground.controller.js';
import { PlansController } from './plans/plans.controller.js';
import { CallDocsController } from './proxy/call-docs.controller.js';
import { JoinedAnswersService } from './proxy/joined-answers.service.js';
import { proxiedRoutes } from './proxy/proxied-route.js';
import { proxyControllerOf } from './proxy/proxy-controller.js';
import { ProxyService } from './proxy/proxy.service.js';
import { CallsUnderWay } from './service-calls/calls-under-way.js';
import { ServiceProxies } from './service-calls/service-proxies.js';
import { TransferService } from './proxy/transfer.service.js';
import { PublicPagesController } from './public-pages/public-pages.controller.js';
import { ServiceStatus } from './public-pages/service-status.js';
import { RequestPagesController } from './requests/requests.controller.js';
import { SearchesController } from './searches/searches.controller.js';
import { AppPagesController } from './security/app.controller.js';
import { IdentityPagesController } from './security/identities.controller.js';
import { PasskeyPagesController } from './security/passkeys.controller.js';
import { SecurityPagesController } from './security/security.controller.js';
import { SubscriptionPagesController } from './subscriptions/subscriptions.controller.js';
import { Services } from './services.js';
import { UsagePageController } from './usage/usage.controller.js';
import { WebhookPagesController } from './webhooks/webhooks.controller.js';
import type { PublicListenerOptions } from './public-listener-options.js';

/** The maximum time without data in an upload or a download. */
const TRANSFER_IDLE_MS = 30 * SECOND_MS;

export const PAGES = [
  AssetsController,
  AuthController,
  ProviderPagesController,
  OverviewController,
  PublicPagesController,
  AccountController,
  CredentialPagesController,
  KeysController,
  UsagePageController,
  SecurityPagesController,
  AppPagesController,
  IdentityPagesController,
  PasskeyPagesController,
  CreditsController,
  LedgerController,
  PlansController,
  SubscriptionPagesController,
  SearchesController,
  PlaygroundController,
  JobPagesController,
  MonitorPagesController,
  FilePagesController,
  WebhookPagesController,
  UploadPagesController,
  InvoicePagesController,
  RequestPagesController,
  CallDocsController,
];

/** The pages and calls of the public listener. The guards check every request, in this order. */
@Module({})
export class PagesModule {
  static register(options: PublicListenerOptions): DynamicModule {
    const { config, clock, logger, tokens, metrics, mailbox, texts } = options;
    const { operations = OPERATIONS } = options;
    const origins = serviceOrigins(config);
    const { origin } = new URL(config.billingUrl);
    const settings: DashboardSettings = {
      origin,
      apiUrl: config.baseUrl,
      contactAddress: config.contactAddress,
      mailbox,
      texts,
      isDataSimulated: config.isDataSimulated,
      description: descriptionOf(operations, origin),
    };
    return {
      module: PagesModule,
      controllers: [
        ...PAGES,
        ...(mailbox ? [MailboxController] : []),
        proxyControllerOf(proxiedRoutes(operations)),
      ],
      providers: [
        { provide: Clock, useValue: clock },
        { provide: DashboardSettings, useValue: settings },
        { provide: Services, useValue: new Services(config, tokens, metrics) },
        { provide: ServiceProxies, useValue: new ServiceProxies(origins, tokens, metrics) },
        { provide: ServiceStatus, useValue: new ServiceStatus(origins, clock, tokens.tls) },
        { provide: APP_GUARD, useClass: ForgeryGuard },
        { provide: APP_GUARD, useClass: SessionGuard },
        { provide: CallsUnderWay, useValue: new CallsUnderWay(config.callsAtOnce) },
        { provide: APP_INTERCEPTOR, useExisting: CallsUnderWay },
        DashboardCalls,
        JoinedAnswersService,
        { provide: Transfers, useValue: new Transfers(TRANSFER_IDLE_MS, logger) },
        TransferService,
        ProxyService,
      ],
    };
  }
}

/** Returns the dashboard's `/openapi.json`. */
function descriptionOf(operations: readonly Operation[], origin: string): Buffer {
  const title = 'Domain Data Service, dashboard';
  const document = openApi(operations, { title, version: '2.0', origin, listener: 'dashboard' });
  return Buffer.from(JSON.stringify(document));
}
