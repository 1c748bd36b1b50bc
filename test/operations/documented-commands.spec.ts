import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Command } from 'commander';
import { EventsConfig } from '#libs/messaging';
import { CliConfig } from '../../apps/cli/src/cli.config.js';
import { DatabasesConfig, OwnDatabasesConfig } from '../../apps/cli/src/declared.js';
import { SERVICES } from '../../apps/services.js';
import { operatorProgram } from '../../apps/cli/src/operator-program.js';
import { filesBelow } from '../tidy/source-tree.js';

const IN_TEXT = /`npm run cli -- ([^`]+)`/g;
const IN_BLOCK = /^npm run cli -- (.+)$/gm;
/** Text that a shell interprets as a comment, another command or the next line. */
const SHELL = /\s+(#|&&|\\$|;).*$/;

/** Returns the commands on a page, each split into words; a quoted part is one word. */
function commandsIn(text: string): string[][] {
  return [IN_TEXT, IN_BLOCK]
    .flatMap((pattern) => [...text.matchAll(pattern)])
    .map(([, words]) => words.replace(SHELL, '').match(/<[^>]+>|'[^']*'|"[^"]*"|\S+/g) ?? []);
}

/**
 * Returns the reason why a command cannot run as written; undefined if it can. A bare name, or one with `…` in place
 * of its arguments, need only exist.
 */
function faultOf(program: Command, words: string[]): string | undefined {
  let command = program;
  let rest = words;
  while (command.commands.length > 0 && rest.length > 0 && !/^[-<…]/.test(rest[0])) {
    const found = command.commands.find((one) => one.name() === rest[0]);
    if (!found) return `there is no "${rest[0]}"`;
    [command, rest] = [found, rest.slice(1)];
  }
  const given: string[] = [];
  const places: string[] = [];
  for (let i = 0; i < rest.length; i++) {
    if (rest[i] === '--help') return undefined;
    const option = command.options.find(({ long }) => long === rest[i]);
    if (rest[i].startsWith('--') && !option) return `it has no ${rest[i]}`;
    if (!option) places.push(rest[i]);
    else given.push(option.long!);
    if (option?.required) i += 1;
  }
  if (rest.length === 0 || places.includes('…')) return undefined;
  const wanted = command.registeredArguments.filter(({ required }) => required).length;
  if (places.length < wanted) return `${wanted} arguments, not ${places.length}`;
  const missing = command.options.find(
    ({ mandatory, long }) => mandatory && !given.includes(long!),
  );
  return missing && `without ${missing.long}`;
}

describe('the operator commands in the documents', () => {
  let program: Command;

  beforeAll(() => {
    program = operatorProgram(
      new CliConfig(),
      new EventsConfig(),
      new DatabasesConfig(),
      new OwnDatabasesConfig(),
    );
  });

  it('exist and are complete', () => {
    const pages = filesBelow('').filter((path) => path.endsWith('.md'));
    const found = pages.flatMap((path) =>
      commandsIn(readFileSync(path, 'utf8')).map((words) => ({ path, words })),
    );
    expect(found.length).toBeGreaterThan(30);
    const faults = found.flatMap(({ path, words }) => {
      const fault = faultOf(program, words);
      return fault === undefined ? [] : [`${path}: ${words.join(' ')}: ${fault}`];
    });
    expect(faults).toEqual([]);
  });

  it('omit no service when certificates are created or containers are replaced', () => {
    const page = (name: string) => readFileSync(`docs/operations/${name}.md`, 'utf8');
    const names = SERVICES.map(({ name }) => name);
    const [, certified] = /^for name in (.+); do$/m.exec(page('secrets')) as RegExpExecArray;
    expect(certified.split(' ').toSorted()).toEqual([...names, 'cli'].toSorted());
    const replaced = [
      ...page('upgrade').matchAll(/^docker compose up -d --no-deps ([\w -]+?) *(?:#.*)?$/gm),
    ].flatMap(([, words]) => words.replaceAll(/-\d/g, '').split(' '));
    // Billing runs only with its own Compose profile.
    expect([...new Set(replaced), 'billing'].toSorted()).toEqual(names.toSorted());
  });

  it.each([
    ['billing replay <callback-id>', 'without --reason'],
    ['billing replay --reason …', '1 arguments, not 0'],
    ['billing repeat', 'there is no "repeat"'],
    ['events list --newest', 'it has no --newest'],
  ])('%s is not accepted', (text, fault) => {
    expect(
      commandsIn(`\`npm run cli -- ${text}\``).map((words) => faultOf(program, words)),
    ).toEqual([fault]);
  });
});
