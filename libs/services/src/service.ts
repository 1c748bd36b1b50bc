import type { Type } from '@nestjs/common';
import type { Distribution, InvariantSet, Migration } from '#libs/database';
import type { FileStore } from '#libs/files';
import { LocalMailbox, type MailTransport, SmtpTransport } from '#libs/mail';
import type { EventTransport } from '#libs/messaging';
import {
  type Clock,
  type ConfigClass,
  type Logger,
  Metrics,
  type RunningService,
  type ServiceName,
} from '#libs/platform';
import type { JobDeclaration } from './jobs.js';

export interface ServiceStart<C extends object> {
  config: C;
  clock: Clock;
  logger: Logger;
  /** The transport of events; its creator closes it. */
  transport: EventTransport;
  /** The file store of a service with `usesFiles`; its creator closes it. */
  files?: FileStore;
  /** The mail transport that replaces the one in the service's settings. Its creator closes it. */
  mail?: MailTransport;
  /** The mailbox that stores e-mails instead of sending them, for a page that shows them. */
  mailbox?: LocalMailbox;
}

export interface StartedService {
  /** Origins of the service's listeners by name; `url` is the internal one. */
  addresses: Record<string, string> & { url: string };
  metrics: Metrics;
  stop(): Promise<void>;
}

export interface Listener {
  /** The name of the port's setting, such as `ACCOUNT_PORT`. */
  port: string;
  isPublic?: boolean;
}

export interface ServiceCode<C extends object = object> {
  /** The controllers of the service. Those with `@Consumes` and `@Watches` define the events that it receives. */
  controllers: readonly Type[];
  jobs: readonly JobDeclaration[];
  start(given: ServiceStart<C>): Promise<StartedService>;
}

/**
 * The declaration of a service of the product. Solo, the cluster, the operator commands and the generated documents
 * use it. Each app that is a service exports it from its `service.ts`; `apps/services.ts` lists them.
 */
export interface Service<C extends object = object> {
  name: ServiceName;
  config: ConfigClass<C>;
  /** The listeners, the internal one first. */
  listeners: readonly [Listener, ...Listener[]];
  /** The name of the setting with the service's internal origin, for other services; unset if no service calls it. */
  urlSetting?: string;
  /**
   * Settings that only an operator can provide, such as the key of a payment processor; an installation without any of
   * them runs without the service.
   */
  requires?: readonly string[];
  /** The ports on the internet to which the service connects, except for e-mail; network policies close all others. */
  outwardPorts?: readonly number[];
  /**
   * The maximum number of PostgreSQL connections of one process: the settings of its pools, and the sizes of fixed
   * pools. The Helm chart adds them up.
   */
  connections?: readonly (string | number)[];
  /**
   * The migrations that create the tables of the service's schema. Unset for a service that owns no data and does not
   * use events.
   */
  migrations?: Migration[];
  /** Imports the invariants of the service's data, which its auditor checks. */
  invariants?(): Promise<InvariantSet>;
  /**
   * The PostgreSQL extensions that the service's tables and statements use, such as `pg_trgm`. Provisioning creates
   * them, because the service's own roles may not.
   */
  extensions?: readonly string[];
  /** The distribution of the service's tables over the nodes of a Citus cluster, if the installation has one. */
  distribution?: Distribution;
  /** Whether the service stores files; it then gets its own store and reads the settings `FILES_…`. */
  usesFiles?: boolean;
  /**
   * Imports the service's code. Settings, migrations and names are available without it, for commands that must be
   * fast.
   */
  load(): Promise<ServiceCode<C>>;
}

/** Any service in the registry, whatever its config class. */
// oxlint-disable-next-line typescript/no-explicit-any -- the config class is both a result and a parameter
export type AnyService = Service<any>;

/** Returns a service with one listener, in the form that the registry needs. */
export function started({ app, url, stop }: RunningService): StartedService {
  return { addresses: { url }, metrics: app.get(Metrics, { strict: false }), stop };
}

/**
 * Starts a service that sends e-mail, with the given transport; by default, over the SMTP server of its settings or,
 * without one, into a local mailbox.
 */
export async function startWithMail<
  C extends { smtpUrl?: string; mailFrom: string; contactAddress?: string },
>(
  given: ServiceStart<C>,
  start: (options: ServiceStart<C> & { mail: MailTransport }) => Promise<RunningService>,
): Promise<StartedService> {
  if (given.mail) return started(await start({ ...given, mail: given.mail }));
  const { config } = given;
  const url = () => config.smtpUrl as string;
  const mail = config.smtpUrl
    ? new SmtpTransport({ url, from: config.mailFrom, replyTo: config.contactAddress })
    : new LocalMailbox(given.clock);
  const running = started(await start({ ...given, mail }));
  return { ...running, stop: async () => running.stop().finally(() => mail.close()) };
}
