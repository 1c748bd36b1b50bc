import { writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { replay } from '../../entitlement/histories/replay.js';
import type { ToldHistory } from '../../entitlement/histories/told-history.js';
import { setupPostgres } from '../../environment/setup.js';
import teardown from '../../environment/teardown.js';
import { MoneyAuditor } from '../histories/money-auditor.js';
import { TAX_RATES } from '../histories/money-history.js';
import { KillableBilling } from './killable-billing.js';
import { MONEY_CRASHES, type MoneyCrash, crashOfMoney } from './money-crashes.js';

/** Kills billing at every process boundary on the path of money, outside the test runner. */
const program = new Command('money-crashes')
  .option('--only <texts>', 'points or flows whose name contains one of these: a|b', '')
  .option('--json <file>', 'also write the report to a file')
  .parse();
const { only, json } = program.opts<{ only: string; json?: string }>();

const FAULT_CHARS = 500;
const faults: string[] = [];
const told: ToldHistory[] = [];
let kills = 0;

await setupPostgres();
try {
  const billing = await KillableBilling.start({ taxRates: TAX_RATES });
  const auditor = await MoneyAuditor.open(billing);
  try {
    for (const crash of MONEY_CRASHES) await killTwice(billing, auditor, crash);
  } finally {
    await auditor.close();
    await billing.stop();
  }
  // Each customer's credits are those that the money bought.
  if (told.length > 0) faults.push(...(await replay(told, () => ['order', 'shuffle'])).faults);
} finally {
  await teardown();
}
process.stdout.write(`${kills} kills along the flow of money; ${faults.length} faults\n`);
if (json !== undefined) writeFileSync(json, `${JSON.stringify({ kills, faults })}\n`);
process.exit(faults.length === 0 && kills > 0 ? 0 : 1);

/** With a client that repeats unanswered requests, and without one. */
async function killTwice(
  billing: KillableBilling,
  auditor: MoneyAuditor,
  crash: MoneyCrash,
): Promise<void> {
  const { point, pass, flow } = crash;
  for (const isRepeated of [true, false]) {
    const name = `${flow}, ${point}:${pass}, ${isRepeated ? 'repeated' : 'not repeated'}`;
    if (!only.split('|').some((text) => name.includes(text))) continue;
    kills += 1;
    billing.isRepeated = isRepeated;
    const fault = await crashOfMoney(billing, auditor, crash).then(
      (history) => void told.push(history),
      (error: Error) => error.message.slice(0, FAULT_CHARS),
    );
    process.stdout.write(`${name}: ${fault ?? 'passed'}\n`);
    if (fault !== undefined) faults.push(`${name}: ${fault}`);
  }
}
