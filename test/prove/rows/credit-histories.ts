import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kafkaAvailability } from '#test/environment';
import { type ApartRow, type Bench, holds } from '../row.js';

const HISTORIES = 200;
const LIMIT_MS = 15 * 60_000;
const MAIN = new URL('../../entitlement/histories/main.js', import.meta.url).pathname;

export const creditHistoriesRow: ApartRow = {
  name: 'credit histories over Kafka',
  fault:
    "a customer's events shuffled, repeated, up to 25 days late and with snapshots left out, over a broker",
  expectation: `all of ${HISTORIES} histories end in what the money bought, shuffled ones in the same rows`,
  isApart: true,
  isLong: true,
  missing: kafkaAvailability,
  run: replay,
};

/** In a process of its own, with a database and a broker of its own. */
async function replay({ random, count }: Bench): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'prove-credits-'));
  const file = join(folder, 'figures.json');
  const from = random.between(1, 1_000_000);
  const words = [MAIN, '--kafka', '--histories', HISTORIES, '--from', from, '--json', file];
  const child = spawn(process.execPath, words.map(String), {
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: LIMIT_MS,
  });
  const stop = () => void child.kill();
  process.once('exit', stop);
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  try {
    const [code, signal] = await once(child, 'close');
    holds(code === 0, `it ended with ${signal ?? code}: ${errors.slice(-1_000)}`);
    const { histories, events } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, number>;
    count('histories', histories);
    count('events', events);
    count('first seed', from);
    holds(histories === HISTORIES, 'histories are missing');
  } finally {
    process.off('exit', stop);
    rmSync(folder, { recursive: true, force: true });
  }
}
