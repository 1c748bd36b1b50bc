import { Command } from 'commander';
import type { EventsConfig } from '#libs/messaging';
import type { OwnDatabases } from '#libs/services';
import { accountCommands } from './accounts/account-commands.js';
import { auditCommands } from './audit/audit-commands.js';
import { billingCommands } from './billing/billing-commands.js';
import type { CliConfig } from './cli.config.js';
import { corpusCommands } from './corpus/corpus-commands.js';
import { creditCommands } from './credits/credit-commands.js';
import type { Databases } from './declared.js';
import { eventCommands } from './events/event-commands.js';
import { addManual } from './manual.js';
import { routingCommands } from './routing/routing-commands.js';
import { schemaCommands } from './schemas/schema-commands.js';
import { secretCommands } from './secrets/secret-commands.js';
import { sourceCommands } from './source/source-commands.js';
import { tldCommands } from './tlds/tld-commands.js';

/** Every command of an operator. */
export function operatorProgram(
  config: CliConfig,
  events: EventsConfig,
  databases: Databases,
  own: OwnDatabases,
): Command {
  const program = new Command('npm run cli --')
    .description('operator commands')
    .showHelpAfterError(
      '"npm run cli -- --help" lists the commands, --help after a command what it takes.',
    );
  schemaCommands(program, config, own, events);
  eventCommands(program, databases);
  accountCommands(program, config, databases);
  creditCommands(program, config);
  billingCommands(program, config);
  auditCommands(program, config);
  corpusCommands(program, config, own);
  sourceCommands(program, config);
  secretCommands(program);
  routingCommands(program);
  tldCommands(program);
  addManual(program);
  return program;
}
