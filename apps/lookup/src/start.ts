import {
  type Clock,
  type FurtherListener,
  Health,
  type Logger,
  Metrics,
  type RunningService,
  startService,
} from '#libs/platform';
import { Registries } from '#libs/resolvers';
import { type LookupConfig, listIn } from './lookup.config.js';
import { AnswerCounts } from './answers/answer-counts.js';
import { DnsService } from './dns/dns.service.js';
import { LiveService } from './live/live.service.js';
import { LookupModule } from './lookup.module.js';
import { ObservationsService } from './observations/observations.service.js';
import { DelegatedNumbers } from './numbers/delegated-numbers.js';
import { RoutingFeed } from './numbers/routing-feed.js';
import { NumbersService } from './numbers/numbers.service.js';
import { addLookupMetrics } from './telemetry/lookup-metrics.js';
import { listenOnUnixSocket } from './unix-listener.js';
import { openUpstreams } from './upstreams.js';

export interface LookupOptions {
  config: LookupConfig;
  clock: Clock;
  logger: Logger;
}

/** Starts the lookup service; `stop` closes listeners first, then connections to registries. */
export async function startLookup(options: LookupOptions): Promise<RunningService> {
  const { config, clock, logger } = options;
  const { registriesFile } = config;
  const registries = registriesFile ? Registries.fromFile(registriesFile) : Registries.vendored();
  if (registries.age(clock.now()).isTooOld) {
    logger.warn(
      'The registry tables are old, and hosts may have changed: refresh the tables',
      registries.age(clock.now()),
    );
  }
  const { asRelationsFile: relations, prefixOriginsFile: origins } = config;
  const feed = await RoutingFeed.load({ relations, origins });
  const delegated = await DelegatedNumbers.load(listIn(config.delegatedFiles));
  const upstreams = await openUpstreams(config, registries, options);
  const module = LookupModule.register({
    config,
    clock,
    logger,
    registries,
    domains: upstreams.domains,
    numbers: upstreams.numbers,
    dns: upstreams.dns,
    wayOut: upstreams.wayOut,
    feed,
    delegated,
  });
  const service = await startService({
    module,
    logger,
    port: config.port,
    host: config.host,
    config,
  });
  addLookupMetrics(service.app.get(Metrics, { strict: false }), {
    answers: service.app.get(AnswerCounts),
    lookups: upstreams.domains.counts,
    observations: service.app.get(ObservationsService),
    caches: [LiveService, NumbersService, DnsService].map(
      (answering) => service.app.get(answering).cache,
    ),
  });
  service.app.get(Health, { strict: false }).add({
    name: 'upstreams',
    isOptional: true,
    check: async () => {
      if (upstreams.wayOut.isCutOff) throw new Error('no registry or resolver can be reached');
    },
  });
  let socket: FurtherListener | undefined;
  const stop = async () => {
    await socket?.close();
    await service.stop();
    await upstreams.close();
  };
  try {
    if (config.socketPath) socket = await listenOnUnixSocket(service, config.socketPath);
  } catch (error) {
    await stop();
    throw error;
  }
  return { ...service, stop };
}
