import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { openLog } from './solo-log.js';

const MIB = 1024 * 1024;
const folder = mkdtempSync(join(tmpdir(), 'solo-log-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('a log of a process that runs for months has at most two files of about 50 MiB', async () => {
  const path = join(folder, 'solo.log');
  const log = openLog(path);
  const line = `${'x'.repeat(MIB - 1)}\n`;
  for (let count = 0; count < 120; count++) {
    log.write(line);
    // The stream writes meanwhile.
    await new Promise((resolve) => setImmediate(resolve));
  }
  log.write('the last line\n');
  await log.close();
  expect(readFileSync(path, 'utf8')).toContain('the last line');
  for (const file of [path, `${path}.1`]) expect(statSync(file).size).toBeLessThan(55 * MIB);
});
