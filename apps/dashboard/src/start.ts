import { setTimeout as sleep } from 'node:timers/promises';
import { ownerChecks } from '#libs/contracts';
import {
  Health,
  Metrics,
  type RunningService,
  ServiceTokens,
  serviceOrigins,
  startService,
} from '#libs/platform';
import { hiddenClientsOf, probePort } from '#libs/public-http';
import type { DashboardConfig } from './dashboard.config.js';
import { DashboardModule } from './dashboard.module.js';
import { loadOperatorTexts } from './public-pages/operator-texts.js';
import type { PublicListenerOptions } from './public-listener-options.js';
import { type PublicListener, openPublicListener } from './public-listener.js';
import { DashboardMetrics } from './telemetry/dashboard-metrics.js';

export type StartDashboard = Omit<PublicListenerOptions, 'tokens' | 'texts' | 'metrics'>;

export interface RunningDashboard extends RunningService {
  dashboardUrl: string;
}

/**
 * Starts the internal listener, then the public one. `stop` first reports "not ready" for a while, so that load
 * balancers stop sending requests. It then finishes running requests and closes the public and the internal listener.
 * @throws if a port is taken, or an operator's text cannot be read or is too long; the errors of `startService`.
 */
export async function startDashboard(options: StartDashboard): Promise<RunningDashboard> {
  const { config, logger } = options;
  await probePorts(config);
  const texts = await loadOperatorTexts(config);
  const hidden = hiddenClientsOf({
    origin: config.billingUrl,
    trustedProxies: config.trustedProxies,
    settings: { origin: 'BILLING_URL', trustedProxies: 'DASHBOARD_TRUSTED_PROXIES' },
  });
  if (hidden) logger.warn(hidden);
  const service = await startService({
    module: DashboardModule.register(options),
    logger,
    host: config.internalHost,
    port: config.internalPort,
    config,
  });
  const tokens = service.app.get(ServiceTokens, { strict: false });
  const health = service.app.get(Health, { strict: false });
  let listener: PublicListener | undefined;
  const opened = async () => {
    if (!listener) throw new Error('the public listener is not open yet');
  };
  health.add({ name: 'listener', check: opened });
  for (const [name, check] of ownerChecks(serviceOrigins(config), tokens.tls)) {
    health.add({ name, isOptional: true, check });
  }
  try {
    const metrics = new DashboardMetrics(service.app.get(Metrics, { strict: false }));
    listener = await openPublicListener({ ...options, tokens, texts, metrics });
  } catch (error) {
    await service.stop();
    throw error;
  }
  const { url: dashboardUrl, close } = listener;
  const stop = async () => {
    health.drain();
    await sleep(config.drainNoticeMs);
    await close();
    await service.stop();
  };
  return { ...service, dashboardUrl, stop };
}

async function probePorts(config: DashboardConfig): Promise<void> {
  if (!config.reusePort) await probePort(config.host, config.port, 'DASHBOARD_PORT');
  await probePort(config.internalHost, config.internalPort, 'DASHBOARD_INTERNAL_PORT');
}
