import { CommanderError } from 'commander';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Command } from 'commander';
import { EventsConfig } from '#libs/messaging';
import { ServersConfig } from './servers.config.js';
import { DatabasesConfig, OwnDatabasesConfig } from './declared.js';
import { EXIT_CODES, MANUAL, leavesOf, pathOf } from './manual.js';
import { operatorProgram } from './operator-program.js';

/** Creates the program with every command. Its output is recorded, and it throws an error where it would exit. */
function quiet(): { program: Command; said: () => string } {
  let text = '';
  const program = operatorProgram(
    new ServersConfig(),
    new EventsConfig(),
    new DatabasesConfig(),
    new OwnDatabasesConfig(),
  );
  const output = {
    writeOut: (more: string) => (text += more),
    writeErr: (more: string) => (text += more),
  };
  const all = (command: Command): Command[] => [command, ...command.commands.flatMap(all)];
  for (const command of all(program)) command.exitOverride().configureOutput(output);
  return { program, said: () => text };
}

const wordsOf = (line: string) =>
  [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain);

async function say(...args: string[]): Promise<{ code: number; text: string }> {
  const { program, said } = quiet();
  try {
    await program.parseAsync(args, { from: 'user' });
    return { code: 0, text: said() };
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return { code: error.exitCode, text: said() };
  }
}

describe('the command line', () => {
  let paths: string[];

  beforeAll(() => {
    paths = leavesOf(quiet().program).map(pathOf);
  });

  it('the manual describes exactly the existing commands', () => {
    expect(Object.keys(MANUAL).toSorted()).toEqual(paths.toSorted());
  });

  it('each command accepts --json, and its help shows an example with its answer', async () => {
    for (const path of paths) {
      const { code, text } = await say(...path.split(' '), '--help');
      expect([path, code]).toEqual([path, 0]);
      expect(text).toContain(`npm run cli -- ${path}`);
      expect([path, text.includes('--json  ')]).toEqual([path, true]);
      expect([path, text.includes('With --json:')]).toEqual([path, true]);
    }
    expect((await say('--help')).text).toContain(EXIT_CODES);
  });

  it('each example can be parsed', async () => {
    for (const [path, { example }] of Object.entries(MANUAL)) {
      const { program } = quiet();
      const ran: string[] = [];
      for (const command of leavesOf(program)) {
        command.action(() => {
          ran.push(pathOf(command));
        });
      }
      await program.parseAsync(wordsOf(example), { from: 'user' });
      expect(ran).toEqual([path]);
    }
  });

  it.each([
    [['acount'], 'Did you mean account?'],
    [['account', 'timelin', 'a'], 'Did you mean timeline?'],
    [['credits', 'grants'], 'Did you mean grant?'],
    [['audit', 'verify', '--jason'], 'Did you mean --json?'],
  ])('for %j, the nearest command or option is suggested', async (args, suggestion) => {
    const { code, text } = await say(...args);
    expect([code, text]).toEqual([1, expect.stringContaining(suggestion)]);
  });
});
