import { writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { replay } from '../../entitlement/histories/replay.js';
import type { ToldHistory } from '../../entitlement/histories/told-history.js';
import { Random } from '../../random.js';
import { setupPostgres } from '../../environment/setup.js';
import teardown from '../../environment/teardown.js';
import { MoneyAuditor } from '../histories/money-auditor.js';
import { TAX_RATES } from '../histories/money-history.js';
import { KillableBilling } from './killable-billing.js';
import { MONEY_CRASHES, type MoneyCrash, crashOfMoney } from './money-crashes.js';

/** Kills billing at every process boundary on the path of money, outside the test runner. */
const program = new Command('money-crashes')
  .option('--only <texts>', 'points or flows whose name contains one of these: a|b', '')
  .option('--sample <seed>', 'one crash at each point, chosen by this seed')
  .option('--json <file>', 'also write the report to a file')
  .parse();
const { only, sample, json } = program.opts<{ only: string; sample?: string; json?: string }>();

/** Each crash is tried with a client that repeats unanswered requests, and with one that does not. */
const all = MONEY_CRASHES.flatMap((crash) => [
  { ...crash, isRepeated: true },
  { ...crash, isRepeated: false },
]);
const random = new Random(Number(sample));
const crashes =
  sample === undefined
    ? all
    : [...Map.groupBy(all, ({ point }) => point).values()].map((same) => random.pick(same));

const FAULT_CHARS = 500;
const faults: string[] = [];
const told: ToldHistory[] = [];
let kills = 0;

await setupPostgres();
try {
  const billing = await KillableBilling.start({ taxRates: TAX_RATES });
  const auditor = await MoneyAuditor.open(billing);
  try {
    for (const crash of crashes) await kill(billing, auditor, crash);
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

async function kill(
  billing: KillableBilling,
  auditor: MoneyAuditor,
  { isRepeated, ...crash }: MoneyCrash & { isRepeated: boolean },
): Promise<void> {
  const { point, pass, flow } = crash;
  const name = `${flow}, ${point}:${pass}, ${isRepeated ? 'repeated' : 'not repeated'}`;
  if (!only.split('|').some((text) => name.includes(text))) return;
  kills += 1;
  billing.isRepeated = isRepeated;
  const fault = await crashOfMoney(billing, auditor, crash).then(
    (history) => void told.push(history),
    (error: Error) => error.message.slice(0, FAULT_CHARS),
  );
  process.stdout.write(`${name}: ${fault ?? 'passed'}\n`);
  if (fault !== undefined) faults.push(`${name}: ${fault}`);
}
