import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, rmSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { makeOwnFolder, waitFor } from '#test/environment';

/** Runs a process whose service is given by `start`, a function body in which `platform` is this library. */
class Program {
  output = '';
  private readonly child: ChildProcess;
  private readonly ended: Promise<unknown>;

  constructor(start: string, settings: Record<string, string> = {}) {
    const code = `import * as platform from '#libs/platform';
      class SampleConfig { port = 0; }
      platform.Setting({ env: 'SAMPLE_PORT', about: '' })(SampleConfig.prototype, 'port');
      IsInt()(SampleConfig.prototype, 'port');
      await platform.runService('sample', [SampleConfig], async () => { ${start} });`;
    const text = `import { IsInt } from 'class-validator'; ${code}`;
    this.child = spawn(process.execPath, ['--input-type=module', '-e', text], {
      env: { ...process.env, ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => (this.output += text));
    }
    this.ended = once(this.child, 'close');
  }

  async says(text: string): Promise<void> {
    await waitFor(text, () => this.output.includes(text));
  }

  send(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  async exitCode(): Promise<number | null> {
    await this.ended;
    return this.child.exitCode;
  }

  get lines(): Record<string, unknown>[] {
    return this.output
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  }
}

/** Keeps running until it is told to stop, as a listener does. */
const LISTENING = 'const timer = setInterval(() => {}, 1000);';

describe('a single-service process', () => {
  it('the process prints its addresses when it is up, and exits with 0 after its drain', async () => {
    const program = new Program(
      `${LISTENING} return { addresses: { url: 'http://here' }, stop: async () => console.log('{"msg":"drained"}') };`,
    );
    await program.says('sample is up');
    program.send('SIGTERM');
    expect(await program.exitCode()).toBe(0);
    expect(program.lines).toMatchObject([
      { service: 'sample', msg: 'sample is up', url: 'http://here' },
      { msg: 'sample drains', signal: 'SIGTERM' },
      { msg: 'drained' },
      { msg: 'sample has stopped' },
    ]);
  });

  it('a signal during the start ends the process, even if it is process 1 of a container, which ignores signals by default', async () => {
    const program = new Program(
      `console.log('{"msg":"begun"}'); ${LISTENING} await new Promise(() => {});`,
    );
    await program.says('begun');
    program.send('SIGTERM');
    expect(await program.exitCode()).toBe(0);
    expect(program.lines).toMatchObject([
      { msg: 'begun' },
      { msg: 'sample ends before it is up', signal: 'SIGTERM' },
    ]);
  });

  it('the compile cache is written when the process is up, so that its exit does not wait for the disk', async () => {
    const folder = makeOwnFolder('compile-cache');
    const program = new Program(`${LISTENING} return { addresses: {}, stop: async () => {} };`, {
      NODE_COMPILE_CACHE: folder,
    });
    await program.says('sample is up');
    program.send('SIGKILL');
    await program.exitCode();
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    rmSync(folder, { recursive: true });
    expect(files.length).toBeGreaterThan(100);
  });

  it('a fault at the start is reported in one line with its causes, and the exit code is not zero', async () => {
    const cause = `new Error('no database', { cause: new Error('refused') })`;
    const program = new Program(`throw ${cause};`);
    expect(await program.exitCode()).toBe(1);
    expect(program.lines).toMatchObject([{ msg: 'sample cannot start: no database: refused' }]);
  });

  it('one line lists every fault of the settings, including settings of the log', async () => {
    const settings = { SAMPLE_PORT: 'eighty', LOG_LEVEL: 'loud' };
    const program = new Program(`throw new Error('it has begun');`, settings);
    expect(await program.exitCode()).toBe(1);
    const [{ msg }, ...others] = program.lines;
    expect(others).toEqual([]);
    expect(msg).toMatch(/^sample cannot start: settings: LOG_LEVEL: .* · SAMPLE_PORT: /);
  });

  it('a second signal ends a drain that does not finish', async () => {
    const program = new Program(
      `${LISTENING} return { addresses: {}, stop: () => new Promise(() => {}) };`,
    );
    await program.says('sample is up');
    program.send('SIGINT');
    await program.says('sample drains');
    program.send('SIGTERM');
    expect(await program.exitCode()).toBe(1);
  });

  it('a drain that fails, or was caused by a fault, does not exit with 0', async () => {
    const failing = new Program(
      `${LISTENING} return { addresses: {}, stop: async () => { throw new Error('stuck'); } };`,
    );
    const asked = new Program(
      `${LISTENING} process.exitCode = 1; return { addresses: {}, stop: async () => {} };`,
    );
    for (const program of [failing, asked]) {
      await program.says('sample is up');
      program.send('SIGTERM');
      expect(await program.exitCode()).toBe(1);
    }
    expect(failing.output).toContain('stuck');
  });
});
