import type { Command } from 'commander';
import type { EventsConfig } from '#libs/messaging';
import type { OwnDatabases } from '#libs/services';
import { addAsking, operatorCommand } from './asking-program.js';
import type { ServersConfig } from './servers.config.js';
import { corpusCommands } from './corpus/corpus-commands.js';
import type { Databases } from './declared.js';
import { eventCommands } from './events/event-commands.js';
import { addManual } from './manual.js';
import { routingCommands } from './routing/routing-commands.js';
import { sandboxCommands } from './sandbox/sandbox-commands.js';
import { schemaCommands } from './schemas/schema-commands.js';
import { secretCommands } from './secrets/secret-commands.js';
import { sourceCommands } from './source/source-commands.js';
import { tldCommands } from './tlds/tld-commands.js';
import { workCommands } from './work/work-commands.js';

export function operatorProgram(
  config: ServersConfig,
  events: EventsConfig,
  databases: Databases,
  own: OwnDatabases,
): Command {
  const program = operatorCommand();
  schemaCommands(program, config, own, events);
  eventCommands(program, config, databases);
  workCommands(program, config, databases);
  addAsking(program, config, async () => databases);
  corpusCommands(program, config, own);
  sourceCommands(program, config);
  secretCommands(program);
  routingCommands(program);
  tldCommands(program);
  sandboxCommands(program);
  addManual(program);
  return program;
}
