import { type Command, Option } from 'commander';
import type { Transaction } from '#libs/database';
import { MailOutbox } from '#libs/mail';
import { type ServiceName, counted } from '#libs/platform';
import { schemaServices } from '#libs/services';
import { type FailedItem, FailedWork } from '#libs/work';
import { id } from '../arguments.js';
import { audited } from '../audited.js';
import type { CliConfig } from '../cli.config.js';
import { type Databases, SERVICES } from '../declared.js';
import { type OutputOptions, answer } from '../output.js';
import { withServiceDatabase } from '../service-database.js';

const SCHEMAS = schemaServices(SERVICES);
const NO_SUCH_WORK = 'this service has no such failed work; "work list" shows all failed work';

interface ServiceOptions extends OutputOptions {
  service: ServiceName;
  reason: string;
}

/** Adds `work`, which lists, retries and discards failed items of the services' durable work. */
export function workCommands(program: Command, config: CliConfig, databases: Databases): void {
  const work = program.command('work').description('durable work of services that failed');
  work
    .command('list')
    .description('list failed work with its reasons: dead work first, then work that is retried')
    .addOption(service())
    .action((options: OutputOptions & { service?: ServiceName }) => list(databases, options));
  work
    .command('redrive [work-id]')
    .description('retry one item, or all failed work of a service')
    .addOption(service().makeOptionMandatory())
    .option('--reason <text>', 'why', 'by hand')
    .action((workId: string | undefined, options: ServiceOptions) =>
      redrive(config, databases, { ...options, workId: workId && id(workId) }),
    );
  work
    .command('discard')
    .argument('<work-id>', 'as shown by `work list`', id)
    .description('delete one item; its work is then never done')
    .addOption(service().makeOptionMandatory())
    .requiredOption('--reason <text>', 'why it must never be done')
    .action((workId: string, options: ServiceOptions) =>
      discard(config, databases, { ...options, workId }),
    );
}

const service = () => new Option('--service <service>', 'whose work').choices(SCHEMAS);

async function list(
  databases: Databases,
  { service: only, json }: OutputOptions & { service?: ServiceName },
): Promise<void> {
  const listed: (FailedItem & { service: ServiceName })[] = [];
  for (const name of only ? [only] : SCHEMAS) {
    const items = await withFailedWork(databases, name, (failed) => failed.list());
    listed.push(...items.map((item) => ({ service: name, ...item })));
  }
  answer({ json }, listed, (items) => items.flatMap(linesOf));
  if (listed.length === 0) process.stderr.write('No work has failed.\n');
}

const linesOf = ({
  service: name,
  state,
  id: workId,
  queue,
  name: what,
  tries,
  reason,
}: FailedItem & { service: ServiceName }) => [
  `${name}  ${state}  ${workId}  ${queue}: ${what}  ${counted(tries, 'try', 'tries')}`,
  `    ${reason}`,
];

async function redrive(
  config: CliConfig,
  databases: Databases,
  { service: name, workId, reason, json }: ServiceOptions & { workId?: string },
): Promise<void> {
  const order = { order: 'redrive-work', object: `work:${workId ?? name}`, reason } as const;
  const count = await withFailedWork(databases, name, async (failed) =>
    (await failed.list(workId)).length === 0
      ? 0
      : audited(config, order, () => failed.redrive(workId)),
  );
  const isUnknown = count === 0 && workId !== undefined;
  answer({ json }, { redriven: count }, () => [
    isUnknown ? NO_SUCH_WORK : `${counted(count, 'item')} will be retried`,
  ]);
  if (isUnknown) process.exitCode = 1;
}

async function discard(
  config: CliConfig,
  databases: Databases,
  { service: name, workId, reason, json }: ServiceOptions & { workId: string },
): Promise<void> {
  const order = { order: 'discard-work', object: `work:${workId}`, reason } as const;
  const discarded = await withServiceDatabase(databases, name, async (database) => {
    const [item] = await new FailedWork(database).list(workId);
    if (!item) return false;
    const work = () => database.transaction((transaction) => discardItem(transaction, item));
    return audited(config, order, work);
  });
  answer({ json }, { discarded }, () => [discarded ? 'discarded' : NO_SUCH_WORK]);
  if (!discarded) process.exitCode = 1;
}

/** Discards an item and, if it is an e-mail, the e-mail. @returns false if it is no longer failed. */
async function discardItem(transaction: Transaction, item: FailedItem): Promise<boolean> {
  const isDiscarded = await new FailedWork(transaction).discard(item.id);
  if (isDiscarded && item.queue === 'mail') await new MailOutbox().discard(transaction, item.name);
  return isDiscarded;
}

const withFailedWork = <T>(
  databases: Databases,
  name: ServiceName,
  work: (failed: FailedWork) => Promise<T>,
): Promise<T> => withServiceDatabase(databases, name, (database) => work(new FailedWork(database)));
