import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { watch } from 'node:fs';

/** The time without a change after which the product is restarted. */
const SETTLE_MS = 200;
const COMPILER = 'build.js';
const SOLO = 'dist/apps/solo/src/main.js';
const SOURCES = ['apps', 'libs'];

/** Runs `npm run dev`: compiles after each change and restarts the product. */
function dev(): void {
  let solo = start();
  let timer: NodeJS.Timeout | undefined;
  const change = () => {
    // A failed build is reported, and the running product continues.
    if (spawnSync(process.execPath, [COMPILER], { stdio: 'inherit' }).status !== 0) return;
    const old = solo;
    const begin = () => (solo = start());
    if (old.exitCode !== null) begin();
    else old.once('exit', begin).kill('SIGTERM');
  };
  for (const folder of SOURCES) {
    watch(folder, { recursive: true }, () => {
      clearTimeout(timer);
      timer = setTimeout(change, SETTLE_MS);
    });
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      solo.once('exit', () => process.exit(0)).kill('SIGTERM');
    });
  }
}

/**
 * Starts the product in its own process group, so that a Ctrl-C reaches only this process, which then stops the product
 * cleanly.
 */
function start(): ChildProcess {
  const args = ['--enable-source-maps', SOLO, ...process.argv.slice(2)];
  return spawn(process.execPath, args, { stdio: 'inherit', detached: true });
}

dev();
