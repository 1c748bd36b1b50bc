import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const PROGRAM = new URL('./main.js', import.meta.url).pathname;
const { O_RDONLY, O_NONBLOCK, O_WRONLY } = constants;

describe('a command whose reader has closed the pipe', () => {
  const folder = mkdtempSync(join(tmpdir(), 'closed-pipe-'));
  let pipe: number;

  beforeAll(() => {
    const path = join(folder, 'pipe');
    execFileSync('mkfifo', [path]);
    const reader = openSync(path, O_RDONLY | O_NONBLOCK);
    pipe = openSync(path, O_WRONLY);
    closeSync(reader);
  });
  afterAll(() => {
    closeSync(pipe);
    rmSync(folder, { recursive: true, force: true });
  });

  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const run = (args: readonly string[], stdio: (number | 'ignore' | 'pipe')[]) =>
    spawnSync(process.execPath, [PROGRAM, ...args], {
      env: { PATH, NODE_COMPILE_CACHE, DATA_DIR: folder },
      stdio,
      encoding: 'utf8',
    });

  it.each([
    ['tlds', 'show'],
    ['account', '--help'],
  ])('ends silently: %s %s', (...args) => {
    const { status, stderr } = run(args, ['ignore', pipe, 'pipe']);
    expect([status, stderr]).toEqual([0, '']);
  });

  it('keeps an exit code that was set before', () => {
    const program = [
      '--import',
      'data:text/javascript,process.exitCode=1',
      PROGRAM,
      'tlds',
      'show',
    ];
    const { status, stderr } = spawnSync(process.execPath, program, {
      env: { PATH, NODE_COMPILE_CACHE, DATA_DIR: folder },
      stdio: ['ignore', pipe, 'pipe'],
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([1, '']);
  });

  it('keeps the exit code of an error, and adds nothing to the output', () => {
    const { status, stdout } = run(['account', 'list'], ['ignore', 'pipe', pipe]);
    expect([status, stdout]).toEqual([1, '']);
  });
});
