import { type Command, Option } from 'commander';
import { FailedEvent, FailedEvents } from '#libs/messaging';
import { type ServiceName, counted } from '#libs/platform';
import { schemaServices } from '#libs/services';
import { audited, objectOf } from '../audited.js';
import type { CliConfig } from '../cli.config.js';
import { type Databases, SERVICES } from '../declared.js';
import { type OutputOptions, answer } from '../output.js';
import { withServiceDatabase } from '../service-database.js';
import { eventLines } from './event-lines.js';

const SCHEMAS = schemaServices(SERVICES);
const NO_SUCH_EVENT =
  'this consumer has no such failed event; "events list" shows all failed events';

interface ListOptions extends OutputOptions {
  consumer?: ServiceName;
  all?: boolean;
}

interface ConsumerOptions extends OutputOptions {
  consumer: ServiceName;
  reason: string;
}

/**
 * Adds `events`, which lists, retries and discards events that consumers could not handle. Consumers retry failed
 * events automatically; only an operator can retry a dead event.
 */
export function eventCommands(program: Command, config: CliConfig, databases: Databases): void {
  const events = program.command('events').description('events that could not be handled yet');
  events
    .command('list')
    .description('list failed events with their reasons')
    .addOption(consumer())
    .option('--all', 'include discarded events')
    .action((options: ListOptions) => list(databases, options));
  events
    .command('redrive [event-id]')
    .description('retry one event, or all events of a consumer')
    .addOption(consumer().makeOptionMandatory())
    .option('--reason <text>', 'why', 'by hand')
    .action((eventId: string | undefined, options: ConsumerOptions) =>
      redrive(config, databases, { ...options, eventId }),
    );
  events
    .command('discard <event-id>')
    .description('discard one event permanently; it stays on record with the reason')
    .addOption(consumer().makeOptionMandatory())
    .requiredOption('--reason <text>', 'reason why the event must never take effect')
    .action((eventId: string, options: ConsumerOptions) =>
      discard(config, databases, { ...options, eventId }),
    );
}

const consumer = () => new Option('--consumer <service>', 'whose events').choices(SCHEMAS);

async function list(
  databases: Databases,
  { consumer: only, all, json }: ListOptions,
): Promise<void> {
  const listed: (FailedEvent & { service: ServiceName })[] = [];
  for (const service of only ? [only] : SCHEMAS) {
    const events = await withFailedEvents(databases, service, (failed) => everyEvent(failed, all));
    listed.push(...events.map((event) => ({ ...event, service })));
  }
  answer({ json }, listed, (events) => events.flatMap((event) => eventLines(event.service, event)));
  // The message goes to stderr, so that a script that reads the list gets an empty list.
  if (listed.length === 0) process.stderr.write('No event has failed.\n');
}

async function everyEvent(failed: FailedEvents, withDiscarded = false): Promise<FailedEvent[]> {
  const found: FailedEvent[] = [];
  let after: string | undefined;
  for (;;) {
    const page = await failed.list({ after });
    if (page.length === 0) return found;
    found.push(...page.filter(({ state }) => withDiscarded || state !== 'discarded'));
    after = page.at(-1)?.arrival;
  }
}

async function redrive(
  config: CliConfig,
  databases: Databases,
  { consumer: service, eventId, reason, json }: ConsumerOptions & { eventId?: string },
): Promise<void> {
  const order = {
    order: 'redrive-events',
    object: objectOf('event', eventId ?? service),
    reason,
  } as const;
  const count = await withFailedEvents(databases, service, async (failed) =>
    (await failed.list({ eventId })).length === 0
      ? 0
      : audited(config, order, () => failed.redrive({ eventId })),
  );
  const isUnknown = count === 0 && eventId !== undefined;
  answer({ json }, { redriven: count }, () => [
    isUnknown ? NO_SUCH_EVENT : `${counted(count, 'event')} will be retried`,
  ]);
  if (isUnknown) process.exitCode = 1;
}

async function discard(
  config: CliConfig,
  databases: Databases,
  { consumer: service, eventId, reason, json }: ConsumerOptions & { eventId: string },
): Promise<void> {
  const order = { order: 'discard-event', object: objectOf('event', eventId), reason } as const;
  const discarded = await withFailedEvents(databases, service, async (failed) => {
    const [event] = await failed.list({ eventId });
    if (!event) return false;
    return audited(config, order, () => failed.discard(event.consumer, eventId, reason));
  });
  answer({ json }, { discarded }, () => [discarded ? 'discarded' : NO_SUCH_EVENT]);
  if (!discarded) process.exitCode = 1;
}

const withFailedEvents = <T>(
  databases: Databases,
  service: ServiceName,
  work: (failed: FailedEvents) => Promise<T>,
): Promise<T> =>
  withServiceDatabase(databases, service, (database) => work(new FailedEvents(database)), [
    FailedEvent,
  ]);
