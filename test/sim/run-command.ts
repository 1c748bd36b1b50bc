import { join } from 'node:path';
import { runOwnProcess } from '../prove/own-process.js';
import type { Tally } from './histories.js';

export const LIMIT_MS = 900_000;

const MAIN = join(import.meta.dirname, 'main.js');

/** Runs `npm run sim` in a separate process, because it replaces real time with virtual time. */
export function simulate<Report = Tally>(options: string, limitMs = LIMIT_MS) {
  const words = [MAIN, ...options.split(' '), '--json'];
  return runOwnProcess<Report>(words, limitMs);
}
