import { Command } from 'commander';
import { EventsConfig, UnfitTopic } from '#libs/messaging';
import { ConfigurationError, Problem, loadConfig, loadConfigs } from '#libs/platform';
import { CliConfig } from './cli.config.js';
import { accountCommands } from './accounts/account-commands.js';
import { auditCommands } from './audit/audit-commands.js';
import { billingCommands } from './billing/billing-commands.js';
import { creditCommands } from './credits/credit-commands.js';
import { DatabasesConfig } from './declared.js';
import { eventCommands } from './events/event-commands.js';
import { operatorSettings } from './operator-settings.js';
import { schemaCommands } from './schemas/schema-commands.js';
import { secretCommands } from './secrets/secret-commands.js';
import { tldCommands } from './tlds/tld-commands.js';

/** `npm run cli -- <command>`: what an operator does by hand. */
async function main(): Promise<void> {
  const { dataFolder } = loadConfig(CliConfig);
  const settings = operatorSettings(process.env, dataFolder);
  const [config, events, databases] = loadConfigs(
    [CliConfig, EventsConfig, DatabasesConfig],
    settings,
  );
  const program = new Command('npm run cli --')
    .description('operator commands')
    .showHelpAfterError('"npm run cli -- --help" lists the commands.');
  schemaCommands(program, config, events);
  eventCommands(program, databases);
  accountCommands(program, config);
  creditCommands(program, config);
  billingCommands(program, config);
  auditCommands(program, config);
  secretCommands(program);
  tldCommands(program);
  await program.parseAsync();
}

try {
  await main();
} catch (error) {
  const expected = [ConfigurationError, Problem, UnfitTopic];
  const isExpected = expected.some((kind) => error instanceof kind);
  process.stderr.write(
    `${isExpected ? (error as Error).message : String((error as Error).stack)}\n`,
  );
  process.exitCode = 1;
}
