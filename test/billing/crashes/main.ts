import { writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { setupPostgres } from '../../environment/setup.js';
import teardown from '../../environment/teardown.js';
import { CrashWorld } from './crash-world.js';
import { MONEY_CRASHES, type MoneyCrash, crashOfMoney } from './money-crashes.js';

/** Kills billing at every process boundary on the path of money, outside the test runner. */
const program = new Command('money-crashes')
  .option('--only <texts>', 'points or flows whose name contains one of these: a|b', '')
  .option('--json <file>', 'also write the report to a file')
  .parse();
const { only, json } = program.opts<{ only: string; json?: string }>();

const FAULT_CHARS = 500;
const faults: string[] = [];
let kills = 0;

await setupPostgres();
try {
  const world = await CrashWorld.open();
  try {
    for (const crash of MONEY_CRASHES) await killTwice(world, crash);
  } finally {
    await world.close();
  }
} finally {
  await teardown();
}
process.stdout.write(`${kills} kills along the flow of money; ${faults.length} faults\n`);
if (json !== undefined) writeFileSync(json, `${JSON.stringify({ kills, faults })}\n`);
process.exit(faults.length === 0 && kills > 0 ? 0 : 1);

async function killTwice(world: CrashWorld, crash: MoneyCrash): Promise<void> {
  const { point, pass, flow } = crash;
  for (const isRepeated of [true, false]) {
    const name = `${flow}, ${point}:${pass}, ${isRepeated ? 'repeated' : 'not repeated'}`;
    if (!only.split('|').some((text) => name.includes(text))) continue;
    kills += 1;
    const fault = await crashOfMoney(world, crash, isRepeated).then(
      () => undefined,
      (error: Error) => error.message.slice(0, FAULT_CHARS),
    );
    process.stdout.write(`${name}: ${fault ?? 'passed'}\n`);
    if (fault !== undefined) faults.push(`${name}: ${fault}`);
  }
}
