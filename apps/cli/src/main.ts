import { ConfigurationError, Problem, loadConfig, loadConfigs } from '#libs/platform';
import { askingProgram, asksServices, operatorCommand } from './asking-program.js';
import { CliConfig } from './cli.config.js';
import { addManual } from './manual.js';
import { operatorSettings } from './operator-settings.js';

const NOBODYS_ID = 'Nothing has this id. `account find` tells whose an id, key or address is.';

const isMissing = (error: unknown) => error instanceof Problem && error.status === 404;

/** Of the libraries that only some commands load. */
async function isOfServers(error: unknown): Promise<boolean> {
  const { ExtensionMissing, NotTheOwner } = await import('#libs/database');
  const { UnfitTopic } = await import('#libs/messaging');
  return [ExtensionMissing, NotTheOwner, UnfitTopic].some((kind) => error instanceof kind);
}

/** `npm run cli -- <command>`: what an operator does by hand. */
async function main(): Promise<void> {
  const { dataFolder } = loadConfig(CliConfig);
  const settings = operatorSettings(process.env, dataFolder);
  if (process.argv[2] === 'sandbox') {
    const { sandboxCommands } = await import('./sandbox/sandbox-commands.js');
    const program = operatorCommand();
    sandboxCommands(program);
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

// Whoever reads the answer has read enough, as `head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});
try {
  await main();
} catch (error) {
  const isExpected =
    [ConfigurationError, Problem].some((kind) => error instanceof kind) ||
    (await isOfServers(error));
  const text = isExpected ? (error as Error).message : String((error as Error).stack);
  process.stderr.write(`${isMissing(error) ? NOBODYS_ID : text}\n`);
  process.exitCode = 1;
}
