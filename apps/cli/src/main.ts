import { ExtensionMissing, NotTheOwner } from '#libs/database';
import { EventsConfig, UnfitTopic } from '#libs/messaging';
import { ConfigurationError, Problem, loadConfig, loadConfigs } from '#libs/platform';
import { askingProgram, asksServices, operatorCommand } from './asking-program.js';
import { CliConfig } from './cli.config.js';
import { addManual } from './manual.js';
import { operatorSettings } from './operator-settings.js';

const NOBODYS_ID = 'Nothing has this id. `account find` tells whose an id, key or address is.';

const isMissing = (error: unknown) => error instanceof Problem && error.status === 404;

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
  const [config, events, databases, own] = loadConfigs(
    [CliConfig, EventsConfig, DatabasesConfig, OwnDatabasesConfig],
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
  const expected = [ConfigurationError, ExtensionMissing, NotTheOwner, Problem, UnfitTopic];
  const isExpected = expected.some((kind) => error instanceof kind);
  const text = isExpected ? (error as Error).message : String((error as Error).stack);
  process.stderr.write(`${isMissing(error) ? NOBODYS_ID : text}\n`);
  process.exitCode = 1;
}
