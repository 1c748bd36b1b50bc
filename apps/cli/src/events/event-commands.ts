import { type Command, Option } from 'commander';
import { Database } from '#libs/database';
import { FailedEvent, FailedEvents, type FailedEventFilter } from '#libs/messaging';
import { type ServiceName, counted } from '#libs/platform';
import { databaseSetting, schemaServices } from '#libs/services';
import { DatabasesConfig, SERVICES } from '../declared.js';
import { required } from '../required.js';
import { eventLines } from './event-lines.js';

/** Where the schemas are, of the installation that the command is for. */
export type Databases = InstanceType<typeof DatabasesConfig>;

const SCHEMAS = schemaServices(SERVICES);
const NO_SUCH_EVENT = 'this consumer has no such failed event; "events list" shows them';

/** `events`: what consumers could not handle. A failed event is tried again by itself, a dead one waits here. */
export function eventCommands(program: Command, databases: Databases): void {
  const events = program.command('events').description('events that could not be handled yet');
  events
    .command('list')
    .description('failed events with their reasons')
    .addOption(consumer())
    .option('--all', 'discarded ones too')
    .action((options: { consumer?: ServiceName; all?: boolean }) => list(databases, options));
  events
    .command('redrive [event-id]')
    .description('let one event, or all of a consumer, be tried again')
    .addOption(consumer().makeOptionMandatory())
    .action((eventId: string | undefined, options: { consumer: ServiceName }) =>
      redrive(databases, options.consumer, { eventId }),
    );
  events
    .command('discard <event-id>')
    .description('give one event up for ever; it stays on record with the reason')
    .addOption(consumer().makeOptionMandatory())
    .requiredOption('--reason <text>', 'why it must never happen')
    .action((eventId: string, options: { consumer: ServiceName; reason: string }) =>
      discard(databases, eventId, options),
    );
}

const consumer = () => new Option('--consumer <service>', 'whose events').choices(SCHEMAS);

async function list(
  databases: Databases,
  { consumer: only, all }: { consumer?: ServiceName; all?: boolean },
): Promise<void> {
  const services = only ? [only] : SCHEMAS;
  let shown = 0;
  for (const service of services) {
    const events = await withFailedEvents(databases, service, (events) => events.list());
    for (const event of events.filter(({ state }) => all || state !== 'discarded')) {
      shown += 1;
      process.stdout.write(eventLines(service, event));
    }
  }
  // On stderr, so that a script that reads the list still reads nothing.
  if (shown === 0) process.stderr.write('No event has failed.\n');
}

async function redrive(
  databases: Databases,
  service: ServiceName,
  filter: FailedEventFilter,
): Promise<void> {
  const count = await withFailedEvents(databases, service, (events) => events.redrive(filter));
  const isUnknown = count === 0 && filter.eventId !== undefined;
  process.stdout.write(
    isUnknown ? `${NO_SUCH_EVENT}\n` : `${counted(count, 'event')} will be tried again\n`,
  );
  if (isUnknown) process.exitCode = 1;
}

async function discard(
  databases: Databases,
  eventId: string,
  { consumer: service, reason }: { consumer: ServiceName; reason: string },
): Promise<void> {
  const events = await withFailedEvents(databases, service, async (failed) => {
    const [event] = await failed.list({ eventId });
    return event ? failed.discard(event.consumer, eventId, reason) : false;
  });
  process.stdout.write(events ? 'discarded\n' : `${NO_SUCH_EVENT}\n`);
  if (!events) process.exitCode = 1;
}

async function withFailedEvents<T>(
  databases: Databases,
  service: ServiceName,
  work: (failed: FailedEvents) => Promise<T>,
): Promise<T> {
  const url = required(databases, service, databaseSetting(service));
  const database = await Database.open({
    url,
    applicationName: 'cli',
    poolSize: 1,
    entities: [FailedEvent],
  });
  try {
    return await work(new FailedEvents(database));
  } finally {
    await database.close();
  }
}
