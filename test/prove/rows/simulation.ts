import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ApartRow, type Bench, holds } from '../row.js';

const HISTORIES = 10_000;
const LONG_HISTORIES = 100_000;
const LIMIT_MS = 10 * 60_000;
const MAIN = new URL('../../sim/main.js', import.meta.url).pathname;

/** What `npm run sim -- --json` writes, as far as it is read here. */
interface Figures {
  histories: number;
  counts: Record<string, number>;
  steps: number;
  crashes: number;
  failed: number[];
  shown: { seed: number; violations: string[]; replay: string }[];
}

export const simulationRow: ApartRow = {
  name: 'simulated histories',
  fault:
    'the same code under a virtual clock: crashes between any two awaits, duplicates, delays, cuts',
  expectation: `all of ${HISTORIES} histories keep every promise`,
  isApart: true,
  run: simulate,
};

/** In a process of its own, which takes one core. */
async function simulate({ isLong, random, count }: Bench): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'prove-sim-'));
  const file = join(folder, 'figures.json');
  const histories = isLong ? LONG_HISTORIES : HISTORIES;
  const from = random.between(1, 1_000_000);
  const words = ['--histories', histories, '--from', from, '--json', file].map(String);
  const child = spawn(process.execPath, [MAIN, ...words], {
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: isLong ? 10 * LIMIT_MS : LIMIT_MS,
  });
  const stop = () => void child.kill();
  process.once('exit', stop);
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  try {
    const [code, signal] = await once(child, 'close');
    const figures = readFigures(file);
    holds(figures !== undefined, `it ended with ${signal ?? code}: ${errors.slice(-1_000)}`);
    const { counts, steps, crashes, failed, shown } = figures as Figures;
    for (const [scenario, number] of Object.entries(counts)) count(scenario, number);
    count('steps', steps);
    count('crashes', crashes);
    count('first seed', from);
    holds((figures as Figures).histories === histories, 'histories are missing');
    const first = shown.at(0);
    holds(
      failed.length === 0,
      `${failed.length} broke a promise: ${first?.violations[0]}; ${first?.replay}`,
    );
  } finally {
    process.off('exit', stop);
    rmSync(folder, { recursive: true, force: true });
  }
}

function readFigures(file: string): Figures | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Figures;
  } catch {
    return undefined;
  }
}
