import { Command } from 'commander';
import { accountCommands } from './accounts/account-commands.js';
import { auditCommands } from './audit/audit-commands.js';
import { billingCommands } from './billing/billing-commands.js';
import type { CliConfig } from './cli.config.js';
import { creditCommands } from './credits/credit-commands.js';
import type { Databases } from './declared.js';
import { keyCommands } from './keys/key-commands.js';
import { addManual } from './manual.js';

/**
 * The first words of the commands about accounts and money. These commands start in half the time, because they do not
 * load all apps.
 */
const ASKING: ReadonlySet<string> = new Set([
  'account',
  'credits',
  'limits',
  'billing',
  'keys',
  'audit',
]);

export const asksServices = (word: string | undefined): boolean =>
  word !== undefined && ASKING.has(word);

export const operatorCommand = (): Command =>
  new Command('npm run cli --')
    .description('operator commands')
    .showHelpAfterError(
      '"npm run cli -- --help" lists the commands; --help after a command describes it.',
    );

/**
 * Adds the commands about accounts and money. @param databases called only by the command that reads the request log.
 */
export function addAsking(
  program: Command,
  config: CliConfig,
  databases: () => Promise<Databases>,
): void {
  accountCommands(program, config, databases);
  creditCommands(program, config);
  billingCommands(program, config);
  keyCommands(program, config);
  auditCommands(program, config);
}

export function askingProgram(config: CliConfig, databases: () => Promise<Databases>): Command {
  const program = operatorCommand();
  addAsking(program, config, databases);
  addManual(program);
  return program;
}
