import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { fillDisk, freeDisk, fullDiskMissing } from './full-disk.js';

/** A program that appends each received text as a line to a file, and reports the result. */
const WRITER = `
const { openSync, writeSync } = require('node:fs');
const file = openSync(process.argv[1], 'a');
console.log('ready');
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  try {
    writeSync(file, line + '\\n');
    console.log('written');
  } catch (error) {
    console.log(error.code);
  }
});`;

const missing = fullDiskMissing();
(missing === undefined ? describe : describe.skip)('full disk', () => {
  let folder: string;
  let child: ChildProcess;
  let answers: AsyncIterator<string>;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'full-disk-'));
    child = spawn(process.execPath, ['-e', WRITER, join(folder, 'file')], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    answers = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  });
  afterEach(async () => {
    child.stdin?.end();
    if (child.exitCode === null) await once(child, 'exit');
    rmSync(folder, { recursive: true, force: true });
  });

  const answer = async () => (await answers.next()).value as string;
  const write = async (line: string) => {
    child.stdin?.write(`${line}\n`);
    return answer();
  };

  it('a write fails and the process survives; once there is space, the next write succeeds', async () => {
    expect(await answer()).toBe('ready');
    const target = child.pid!;
    expect(await write('one')).toBe('written');
    await fillDisk(target);
    expect(await write('two')).toBe('EFBIG');
    await freeDisk(target);
    expect(await write('three')).toBe('written');
    expect(readFileSync(join(folder, 'file'), 'utf8')).toBe('one\nthree\n');
  });
});
