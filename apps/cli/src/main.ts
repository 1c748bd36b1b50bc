import type { Command } from 'commander';
import { ConfigurationError, Problem, loadConfig, loadConfigs } from '#libs/platform';
import { askingProgram, asksServices, operatorCommand } from './asking-program.js';
import { CliConfig } from './cli.config.js';
import { CommandFault, notFoundText, systemFault } from './command-fault.js';
import { addManual } from './manual.js';
import { type Settings, operatorSettings } from './operator-settings.js';

const isMissing = (error: unknown) => error instanceof Problem && error.status === 404;

/** The first words of commands that are loaded alone, so that they start without loading all declarations. */
const ALONE: Readonly<
  Record<string, (program: Command, config: () => CliConfig, settings: Settings) => Promise<void>>
> = {
  sandbox: async (program, _config, { DASHBOARD_URL }) => {
    const { sandboxCommands } = await import('./sandbox/sandbox-commands.js');
    // Processors send callbacks to the public origin, or to the installation that runs here.
    const { BILLING_URL = DASHBOARD_URL } = process.env;
    sandboxCommands(program, { ...process.env, BILLING_URL });
  },
  routing: async (program) =>
    (await import('./routing/routing-commands.js')).routingCommands(program),
  tlds: async (program) => (await import('./tlds/tld-commands.js')).tldCommands(program),
  source: async (program, config) =>
    (await import('./source/source-commands.js')).sourceCommands(program, config()),
};

async function isOfServers(error: unknown): Promise<boolean> {
  const { ExtensionMissing, MigrationMismatch, NotTheOwner } = await import('#libs/database');
  const { UnfitTopic } = await import('#libs/messaging');
  const kinds = [ExtensionMissing, MigrationMismatch, NotTheOwner, UnfitTopic];
  return kinds.some((kind) => error instanceof kind);
}

/** Runs one operator command: `npm run cli -- <command>`. */
async function main(): Promise<void> {
  const { dataFolder } = loadConfig(CliConfig);
  const settings = operatorSettings(process.env, dataFolder);
  const addAlone = ALONE[process.argv[2]];
  if (addAlone) {
    const program = operatorCommand();
    await addAlone(program, () => loadConfig(CliConfig, settings), settings);
    addManual(program);
    await program.parseAsync();
    return;
  }
  if (asksServices(process.argv[2])) {
    const databases = async () =>
      loadConfig((await import('./declared.js')).DatabasesConfig, settings);
    await askingProgram(loadConfig(CliConfig, settings), databases).parseAsync();
    return;
  }
  const { DatabasesConfig, OwnDatabasesConfig } = await import('./declared.js');
  const { operatorProgram } = await import('./operator-program.js');
  const { EventsConfig } = await import('#libs/messaging');
  const { ServersConfig } = await import('./servers.config.js');
  const [config, events, databases, own] = loadConfigs(
    [ServersConfig, EventsConfig, DatabasesConfig, OwnDatabasesConfig],
    settings,
  );
  await operatorProgram(config, events, databases, own).parseAsync();
}

// The reader of the output may close the pipe, as `head` does; the exit code stays the same. If stderr cannot be
// written, the exit code is 1.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    if (stream === process.stderr) process.exitCode = 1;
    process.exit();
  });
}
try {
  await main();
} catch (error) {
  const isExpected =
    [ConfigurationError, Problem, CommandFault].some((kind) => error instanceof kind) ||
    (await isOfServers(error));
  const { message, stack } = error as Error;
  const text = isExpected ? message : (systemFault(error) ?? String(stack));
  process.stderr.write(`${isMissing(error) ? notFoundText(process.argv[2]) : text}\n`);
  process.exitCode = 1;
}
