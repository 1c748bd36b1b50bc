import { type Command, Option } from 'commander';
import { Database, SCHEMA_SERVICES, type SchemaService } from '#libs/database';
import { type ParkedFilter, ParkedEvents } from '#libs/messaging';
import type { CliConfig } from '../cli.config.js';
import { required } from '../required.js';
import { eventLines } from './event-lines.js';

/** `events`: what consumers could not handle. A parked event is tried again by itself, a dead one waits here. */
export function eventCommands(program: Command, config: CliConfig): void {
  const events = program.command('events').description('events that could not be handled yet');
  events
    .command('list')
    .description('parked and dead events with their reasons')
    .addOption(consumer())
    .option('--all', 'discarded ones too')
    .action((options: { consumer?: SchemaService; all?: boolean }) => list(config, options));
  events
    .command('redrive [event-id]')
    .description('let one event, or all of a consumer, be tried again')
    .addOption(consumer().makeOptionMandatory())
    .action((eventId: string | undefined, options: { consumer: SchemaService }) =>
      redrive(config, options.consumer, { eventId }),
    );
  events
    .command('discard <event-id>')
    .description('give one event up for ever; it stays on record with the reason')
    .addOption(consumer().makeOptionMandatory())
    .requiredOption('--reason <text>', 'why it must never happen')
    .action((eventId: string, options: { consumer: SchemaService; reason: string }) =>
      discard(config, eventId, options),
    );
}

const consumer = () => new Option('--consumer <service>', 'whose events').choices(SCHEMA_SERVICES);

async function list(
  config: CliConfig,
  { consumer: only, all }: { consumer?: SchemaService; all?: boolean },
): Promise<void> {
  const services = only ? [only] : SCHEMA_SERVICES;
  let shown = 0;
  for (const service of services) {
    const events = await withParked(config, service, (parked) => parked.list());
    for (const event of events.filter(({ state }) => all || state !== 'discarded')) {
      shown += 1;
      process.stdout.write(eventLines(service, event));
    }
  }
  // On stderr, so that a script that reads the list still reads nothing.
  if (shown === 0) process.stderr.write('No event is parked or dead.\n');
}

async function redrive(
  config: CliConfig,
  service: SchemaService,
  filter: ParkedFilter,
): Promise<void> {
  const count = await withParked(config, service, (parked) => parked.redrive(filter));
  process.stdout.write(`${count} event(s) will be tried again\n`);
}

async function discard(
  config: CliConfig,
  eventId: string,
  { consumer: service, reason }: { consumer: SchemaService; reason: string },
): Promise<void> {
  const events = await withParked(config, service, async (parked) => {
    const [event] = await parked.list({ eventId });
    return event ? parked.discard(event.consumer, eventId, reason) : false;
  });
  process.stdout.write(events ? 'discarded\n' : 'there is no such event, parked or dead\n');
  if (!events) process.exitCode = 1;
}

async function withParked<T>(
  config: CliConfig,
  service: SchemaService,
  work: (parked: ParkedEvents) => Promise<T>,
): Promise<T> {
  const url = required(config, `${service}DatabaseUrl`, `${service.toUpperCase()}_DATABASE_URL`);
  const database = await Database.open({ url, applicationName: 'cli', poolSize: 1 });
  try {
    return await work(new ParkedEvents(database));
  } finally {
    await database.close();
  }
}
