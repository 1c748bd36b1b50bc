import type { BenchReport, BenchRow } from './bench.js';

/** What a figure may spend: a long run for the record, a short one to try out. */
export interface FigureOptions {
  isShort: boolean;
}

/** Each figure can be measured alone: `npm run bench spine storm limit`. */
export const SPINE_FIGURES = [
  'two-cores',
  'storm',
  'limit',
  'revocation',
  'kills',
  'kafka',
] as const;

export type SpineFigure = (typeof SPINE_FIGURES)[number];

const MEASURES: Record<SpineFigure, (options: FigureOptions) => Promise<BenchRow[]>> = {
  'two-cores': async () => (await import('./spine-two-cores.js')).measure(),
  storm: async (options) => (await import('./spine-storm.js')).measure(options),
  limit: async (options) => (await import('./spine-limit.js')).measure(options),
  revocation: async (options) => (await import('./spine-revocation.js')).measure(options),
  kills: async (options) => (await import('./spine-kills.js')).measure(options),
  kafka: async (options) => (await import('./spine-kafka.js')).measure(options),
};

/** The spine on many machines: separate services, three gateways, Kafka, Valkey. */
export async function run(
  figures: readonly string[] = [],
  options: FigureOptions = { isShort: false },
): Promise<BenchReport> {
  const [rows, notRun]: [BenchRow[], string[]] = [[], []];
  const wanted = figures.length > 0 ? figures : SPINE_FIGURES;
  for (const figure of SPINE_FIGURES.filter((name) => wanted.includes(name))) {
    process.stderr.write(`  ${figure} …\n`);
    try {
      rows.push(...(await MEASURES[figure](options)));
    } catch (error) {
      // One that fails misses its target; the others are measured all the same.
      process.stderr.write(`  ${figure} failed: ${String(error)}\n`);
      rows.push({ what: figure, value: NaN, unit: '', target: 'to be measured', ok: false });
      notRun.push(`${figure}: ${(error as Error).message}`);
    }
  }
  return { title: 'the spine: several gateways, several cores, events over Kafka', rows, notRun };
}
