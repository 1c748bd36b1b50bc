import { Command } from 'commander';
import { ConfigurationError, Problem, loadConfig } from '#libs/platform';
import { CliConfig } from './cli.config.js';
import { schemaCommands } from './schemas/schema-commands.js';

/** `npm run cli -- <command>`: what an operator does by hand. */
async function main(): Promise<void> {
  const config = loadConfig(CliConfig);
  const program = new Command('npm run cli --').description('operator commands');
  schemaCommands(program, config);
  await program.parseAsync();
}

try {
  await main();
} catch (error) {
  const isExpected = error instanceof ConfigurationError || error instanceof Problem;
  process.stderr.write(`${isExpected ? error.message : String((error as Error).stack)}\n`);
  process.exitCode = 1;
}
