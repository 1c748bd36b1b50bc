import { EntitlementUnderTest } from '../entitlement/entitlement-under-test.js';
import { type BenchReport, type BenchRow, openPostgres } from './bench.js';

export const LEDGER_FIGURES = ['charges', 'history', 'due', 'dead-gateway'] as const;
export type LedgerFigure = (typeof LEDGER_FIGURES)[number];

type Measure = (entitlement: EntitlementUnderTest, isShort: boolean) => Promise<BenchRow[]>;

const MEASURES: Record<LedgerFigure, Measure> = {
  charges: async (entitlement) => (await import('./ledger/charges.js')).measure(entitlement),
  history: async (...given) => (await import('./ledger/history.js')).measure(...given),
  due: async (...given) => (await import('./ledger/due-accounts.js')).measure(...given),
  'dead-gateway': async (entitlement) =>
    (await import('./ledger/dead-gateway.js')).measure(entitlement),
};

/** `npm run bench ledger`: what a ledger costs a request, and what years of it cost whoever uses it. */
export async function run(
  figures: readonly string[] = [],
  { isShort } = { isShort: false },
): Promise<BenchReport> {
  await openPostgres();
  const rows: BenchRow[] = [];
  for (const figure of LEDGER_FIGURES) {
    if (figures.length > 0 && !figures.includes(figure)) continue;
    process.stderr.write(`  ${figure} …\n`);
    // A database of its own for each, so that none pays for another's rows.
    const entitlement = await EntitlementUnderTest.start(new Date().toISOString());
    try {
      rows.push(...(await MEASURES[figure](entitlement, isShort)));
    } finally {
      await entitlement.stop();
    }
  }
  return { title: 'ledger: what it writes, how it ages, how fast it follows', rows };
}
