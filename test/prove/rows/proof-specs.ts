import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kafkaAvailability } from '#test/environment';
import { type ApartRow, type Bench, holds } from '../row.js';

const LIMIT_MS = 10 * 60_000;
const JEST = createRequire(import.meta.url).resolve('jest/bin/jest');

/** What `jest --json` writes, as far as it is read here. */
interface Results {
  numPassedTests: number;
  numFailedTests: number;
  success: boolean;
}

export const proofSpecsRow: ApartRow = {
  name: 'pitfalls of the broker client',
  fault:
    'each known pitfall of kafkajs, outages of a broker and of Valkey as one service sees them, sabotage of the simulation',
  expectation: 'every `*.proof.spec.ts` passes',
  isApart: true,
  missing: kafkaAvailability,
  run: runSpecs,
};

/** In a process of its own, with servers of its own. */
async function runSpecs({ count }: Bench): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'prove-specs-'));
  const file = join(folder, 'results.json');
  const words = [JEST, '--config', 'jest.proof.config.js', '--json', '--outputFile', file];
  const child = spawn(process.execPath, words, {
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: LIMIT_MS,
  });
  const stop = () => void child.kill();
  process.once('exit', stop);
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  try {
    const [code, signal] = await once(child, 'close');
    const failed = errors.slice(-1_000);
    holds(signal === null, `it ended with ${signal}: ${failed}`);
    const results = JSON.parse(readFileSync(file, 'utf8')) as Results;
    count('tests', results.numPassedTests);
    holds(results.numPassedTests > 0, 'nothing was run');
    holds(code === 0 && results.success, `${results.numFailedTests} failed: ${failed}`);
  } finally {
    process.off('exit', stop);
    rmSync(folder, { recursive: true, force: true });
  }
}
