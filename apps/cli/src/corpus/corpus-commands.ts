import { Argument, type Command } from 'commander';
import { CorpusClient, type SuppressionAsked } from '#libs/contracts';
import { wholeNumber } from '../arguments.js';
import { audited } from '../audited.js';
import { distribute, ownerRole } from '#libs/database';
import { counted } from '#libs/platform';
import type { OwnDatabases } from '#libs/services';
import type { CliConfig } from '../cli.config.js';
import type { ServersConfig } from '../servers.config.js';
import { SERVICES } from '../declared.js';
import { type OutputOptions, answer } from '../output.js';
import { databasesOf } from '../schemas/schema-commands.js';
import { withService } from '../service-calls.js';

interface GenerateOptions extends OutputOptions {
  names: number;
  seed: number;
}

const SUPPRESSED_KINDS = ['domain', 'email', 'name', 'phone'] as const;

const NAMES_AT_A_TIME = 500;

export function corpusCommands(program: Command, config: ServersConfig, own: OwnDatabases): void {
  const corpus = program
    .command('corpus')
    .description('manage the data that history and searches read');
  corpus
    .command('generate')
    .description(
      'add sample names with their histories, for trials and measurements; answers mark them, and the same seed adds the same names',
    )
    .requiredOption('--names <number>', 'how many', wholeNumber)
    .option('--seed <number>', 'seed of the names', wholeNumber, 1)
    .action((options: GenerateOptions) => generate(config, options));
  corpus
    .command('clear')
    .description('remove all sample names with their data')
    .requiredOption('--generated', 'sample names; no other names can be removed')
    .action((options: OutputOptions) => clear(config, options));
  corpus
    .command('distribute')
    .description(
      'distribute the tables over the nodes of a Citus cluster. The database of the corpus must be its coordinator. Make a backup and stop the corpus first',
    )
    .action((options: OutputOptions) => distributeTables(config, own, options));
  corpus
    .command('suppress')
    .description(
      'hide a value from all searches and files at once, erase it within a day, and keep it out permanently',
    )
    .addArgument(new Argument('<kind>', 'kind of the value').choices(SUPPRESSED_KINDS))
    .argument('<value>', 'a registrable domain name, e-mail address, name or telephone number')
    .option('--reason <text>', 'why, without the value', 'by hand')
    .action(
      (
        kind: SuppressionAsked['kind'],
        value: string,
        options: OutputOptions & { reason: string },
      ) => suppress(config, { kind, value }, options),
    );
}

/**
 * Spreads the tables over the nodes of a Citus cluster. @throws ConfigurationError for a missing setting;
 * ExtensionMissing if the database does not have the extension `citus`.
 */
async function distributeTables(
  config: CliConfig,
  own: OwnDatabases,
  output: OutputOptions,
): Promise<void> {
  const { name, distribution } = SERVICES.find((one) => one.name === 'corpus')!;
  const tables = await distribute(databasesOf(config, own).url(ownerRole(name)), distribution!);
  answer(output, { tables }, () => [
    tables.length > 0 ? `distributed: ${tables.join(', ')}` : 'all tables were distributed before',
  ]);
}

async function suppress(
  config: CliConfig,
  asked: SuppressionAsked,
  { reason, ...output }: OutputOptions & { reason: string },
) {
  // The log keeps its entries for good, so they do not name the value.
  const object = `suppression:${asked.kind}`;
  const suppressed = await audited(config, { order: 'suppress', object, reason }, () =>
    withService(config, 'corpus', async (http) => new CorpusClient(http).suppress(asked)),
  );
  answer(output, suppressed, ({ version, isNew }) => [
    isNew
      ? `hidden now, erased within a day; the list has version ${version}`
      : `was already in the list, as version ${version}`,
  ]);
}

async function generate(config: CliConfig, { names, seed, ...output }: GenerateOptions) {
  let added = 0;
  await withService(config, 'corpus', async (http) => {
    const client = new CorpusClient(http);
    for (let from = 0; from < names; from += NAMES_AT_A_TIME) {
      const stretch = { from, names: Math.min(NAMES_AT_A_TIME, names - from), seed };
      added += (await client.generate(stretch)).newNames;
      showProgress(from + stretch.names, names);
    }
  });
  answer(output, { names, added }, () => [
    `${counted(added, 'name')} added, ${names - added} existed already`,
  ]);
}

async function clear(config: CliConfig, output: OutputOptions) {
  let removed = 0;
  await withService(config, 'corpus', async (http) => {
    const client = new CorpusClient(http);
    for (;;) {
      const { names } = await client.clearGenerated();
      if (names === 0) break;
      removed += names;
    }
  });
  answer(output, { removed }, () => [`${counted(removed, 'name')} removed`]);
}

/** Shows the progress only on a terminal, because an output file must contain only the answer. */
function showProgress(done: number, all: number): void {
  if (!process.stderr.isTTY) return;
  const percent = Math.floor((100 * done) / all);
  process.stderr.write(`\r${percent} % (${done} of ${all} names)${done === all ? '\n' : ''}`);
}
