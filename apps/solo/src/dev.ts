import { type ChildProcess, spawn } from 'node:child_process';
import { watch } from 'node:fs';

/** Quiet time after the compiler's last write before the product is started anew. */
const SETTLE_MS = 400;
const COMPILER = 'node_modules/typescript/bin/tsc';
const SOLO = 'dist/apps/solo/src/main.js';

/** `npm run dev`: compiles at each change and starts the product anew on what was compiled. */
function dev(): void {
  const compiler = start([COMPILER, '--watch', '--preserveWatchOutput']);
  let solo = start(['--enable-source-maps', SOLO, ...process.argv.slice(2)]);
  let timer: NodeJS.Timeout | undefined;
  watch('dist', { recursive: true }, (_event, file) => {
    if (!file?.endsWith('.js')) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      const old = solo;
      const begin = () => (solo = start(['--enable-source-maps', SOLO, ...process.argv.slice(2)]));
      if (old.exitCode !== null) begin();
      else old.once('exit', begin).kill('SIGTERM');
    }, SETTLE_MS);
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      compiler.kill('SIGTERM');
      solo.kill('SIGTERM');
      solo.once('exit', () => process.exit(0));
    });
  }
}

/** Its own process group: a Ctrl-C reaches us alone, and we stop it in order. */
function start(args: string[]): ChildProcess {
  return spawn(process.execPath, args, { stdio: 'inherit', detached: true });
}

dev();
