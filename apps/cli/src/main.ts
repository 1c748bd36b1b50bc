import { Command } from 'commander';
import { ConfigurationError, Problem, loadConfig } from '#libs/platform';
import { CliConfig } from './cli.config.js';
import { auditCommands } from './audit/audit-commands.js';
import { creditCommands } from './credits/credit-commands.js';
import { eventCommands } from './events/event-commands.js';
import { schemaCommands } from './schemas/schema-commands.js';
import { secretCommands } from './secrets/secret-commands.js';

/** `npm run cli -- <command>`: what an operator does by hand. */
async function main(): Promise<void> {
  const config = loadConfig(CliConfig);
  const program = new Command('npm run cli --')
    .description('operator commands')
    .showHelpAfterError('"npm run cli -- --help" lists the commands.');
  schemaCommands(program, config);
  eventCommands(program, config);
  creditCommands(program, config);
  auditCommands(program, config);
  secretCommands(program);
  await program.parseAsync();
}

try {
  await main();
} catch (error) {
  const isExpected = error instanceof ConfigurationError || error instanceof Problem;
  process.stderr.write(`${isExpected ? error.message : String((error as Error).stack)}\n`);
  process.exitCode = 1;
}
