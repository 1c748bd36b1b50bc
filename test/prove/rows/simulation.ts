import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Row, type Stage, holds } from '../row.js';

const HISTORIES = 10_000;
const TIME_LIMIT_MS = 15 * 60_000;
const SEED_MAX = 1_000_000_000;

/** The state machines alone, under a virtual clock: moments that real processes hardly ever meet. */
export const simulationRow: Row = {
  name: 'simulation',
  fault: `${HISTORIES} simulated histories: death between any two awaits, pauses, loss, repeats`,
  expectation: 'no history breaks a promise; a failing one is printed with its replay command',
  run: simulate,
};

/** In a process of its own, as it puts virtual time in the place of the real one. */
async function simulate(stage: Stage): Promise<void> {
  const from = stage.random.integer(1, SEED_MAX);
  const json = join(tmpdir(), `dds-histories-${process.pid}-${from}.json`);
  const main = join(import.meta.dirname, '../../sim/main.js');
  const words = ['--histories', String(HISTORIES), '--from', String(from), '--json', json];
  const child = spawn(process.execPath, ['--max-semi-space-size=64', main, ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: TIME_LIMIT_MS,
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  try {
    const [code] = (await once(child, 'close')) as [number | null];
    holds(code === 0, `histories ${from} and following: ${output || 'no answer in time'}`);
    const { histories, crashes } = JSON.parse(readFileSync(json, 'utf8')) as Record<string, number>;
    stage.count('histories', histories);
    stage.count('simulated crashes', crashes);
  } finally {
    rmSync(json, { force: true });
  }
}
