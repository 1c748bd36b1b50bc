import { ExtensionMissing, NotTheOwner } from '#libs/database';
import { EventsConfig, UnfitTopic } from '#libs/messaging';
import { ConfigurationError, Problem, loadConfig, loadConfigs } from '#libs/platform';
import { CliConfig } from './cli.config.js';
import { DatabasesConfig, OwnDatabasesConfig } from './declared.js';
import { operatorProgram } from './operator-program.js';
import { operatorSettings } from './operator-settings.js';

const NOBODYS_ID = 'Nothing has this id. `account find` tells whose an id, key or address is.';

const isMissing = (error: unknown) => error instanceof Problem && error.status === 404;

/** `npm run cli -- <command>`: what an operator does by hand. */
async function main(): Promise<void> {
  const { dataFolder } = loadConfig(CliConfig);
  const settings = operatorSettings(process.env, dataFolder);
  const [config, events, databases, own] = loadConfigs(
    [CliConfig, EventsConfig, DatabasesConfig, OwnDatabasesConfig],
    settings,
  );
  await operatorProgram(config, events, databases, own).parseAsync();
}

try {
  await main();
} catch (error) {
  const expected = [ConfigurationError, ExtensionMissing, NotTheOwner, Problem, UnfitTopic];
  const isExpected = expected.some((kind) => error instanceof kind);
  const text = isExpected ? (error as Error).message : String((error as Error).stack);
  process.stderr.write(`${isMissing(error) ? NOBODYS_ID : text}\n`);
  process.exitCode = 1;
}
