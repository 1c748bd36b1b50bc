import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MONEY_CRASHES } from '../../billing/crashes/money-crashes.js';
import { type ApartRow, type Bench, holds } from '../row.js';

const LIMIT_MS = 15 * 60_000;
const MAIN = new URL('../../billing/crashes/main.js', import.meta.url).pathname;
const points = [...new Set(MONEY_CRASHES.map(({ point }) => point))];

export const crashMoneyRow: ApartRow = {
  name: `crash ${points.join(', ')}`,
  fault:
    'kill -9 of billing at each border between its rows, the processor and its callbacks: of a purchase, a ' +
    'subscription, an upgrade, a refund, a deletion; with somebody who repeats what had no answer, and nobody',
  expectation:
    'healed by its jobs: each payment is announced once, each call to the processor is repeated under its first ' +
    'key only, credits are what was paid for',
  isApart: true,
  run: killEverywhere,
};

/** In a process of its own, with a database of its own. */
async function killEverywhere({ count }: Bench): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'prove-money-'));
  const file = join(folder, 'figures.json');
  const child = spawn(process.execPath, [MAIN, '--json', file], {
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: LIMIT_MS,
  });
  const stop = () => void child.kill();
  process.once('exit', stop);
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  try {
    const [code, signal] = await once(child, 'close');
    const isReported = code === 0 || code === 1;
    holds(isReported, `it ended with ${signal ?? code}: ${errors.slice(-1_000)}`);
    const { kills, faults } = JSON.parse(readFileSync(file, 'utf8')) as {
      kills: number;
      faults: string[];
    };
    count('kills', kills);
    holds(faults.length === 0, faults.join('\n'));
  } finally {
    process.off('exit', stop);
    rmSync(folder, { recursive: true, force: true });
  }
}
