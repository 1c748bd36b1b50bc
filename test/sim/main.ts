import { randomInt } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { Command, Option } from 'commander';
import { type Tally, runHistories } from './histories.js';
import { SABOTAGES, type Sabotage } from './messaging-statements.js';
import { installVirtualTime } from './virtual-time.js';

const realNow = performance.now.bind(performance);
const NAMES = Object.keys(SABOTAGES) as Sabotage[];

const options = new Command('sim')
  .description(
    'runs simulated histories of the real code with a virtual clock and every kind of fault',
  )
  .option(
    '--seed <number>',
    'seed of the histories; by default, a new one',
    String(randomInt(2 ** 30)),
  )
  .option('--histories <count>', 'number of histories', '10000')
  .option('--path <path>', 'replay only this history of the seed')
  .addOption(
    new Option(
      '--sabotage <name>',
      'break the code under test, and fail if no history detects this; all: each in turn',
    ).choices([...NAMES, 'all']),
  )
  .option('--json <file>', 'also write the report to a file')
  .parse()
  .opts<{
    seed: string;
    histories: string;
    path?: string;
    sabotage?: Sabotage | 'all';
    json?: string;
  }>();

installVirtualTime();
// Creating stack traces would take more time than the histories.
if (options.path === undefined) Error.stackTraceLimit = 0;
process.on('unhandledRejection', (error) => {
  process.stderr.write(`an unhandled error: ${String((error as Error).stack)}\n`);
  process.exit(1);
});
const say = (text: string) => void process.stdout.write(`${text}\n`);
const isGood = await (options.sabotage ? sabotaged(options.sabotage) : run());
// Code under test that a history has abandoned must not keep the process alive.
process.exit(isGood ? 0 : 1);

async function run(): Promise<boolean> {
  const startedMs = realNow();
  const tally = await select();
  const { histories, steps, crashes, failed } = tally;
  const seconds = ((realNow() - startedMs) / 1000).toFixed(1);
  say(
    `${histories} histories of seed ${options.seed}, ${steps} steps, ${crashes} crashes, ${seconds} s`,
  );
  if (failed) say(`${failed.violations.join('\n')}\n${failed.replay}`);
  writeReport(tally);
  return !failed;
}

/** Runs one sabotage, or each in turn. @returns whether each was detected. */
async function sabotaged(chosen: Sabotage | 'all'): Promise<boolean> {
  const names = chosen === 'all' ? NAMES : [chosen];
  const found: Partial<Record<Sabotage, Tally['failed']>> = {};
  for (const sabotage of names) {
    found[sabotage] = (await select(sabotage)).failed;
    const { violations, replay } = found[sabotage] ?? { violations: ['NOT FOUND'], replay: '' };
    say(`${sabotage} (${SABOTAGES[sabotage]}): ${violations.join(', ')} ${replay}`);
  }
  writeReport(found);
  return names.every((name) => found[name]);
}

function select(sabotage?: Sabotage): Promise<Tally> {
  const { seed, histories, path } = options;
  return runHistories({ seed: Number(seed), histories: Number(histories), path, sabotage });
}

function writeReport(figures: object): void {
  if (options.json) writeFileSync(options.json, `${JSON.stringify(figures, null, 2)}\n`);
}
