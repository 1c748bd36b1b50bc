/**
 * Runs `npm start`: prints a line at once, rejects a start that would fail before anything is compiled, compiles
 * changed files, and starts the product.
 */
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 24 || (major === 24 && minor < 7)) {
  process.stderr.write(
    `The product needs Node 24.7 or newer, but this is Node ${process.versions.node}. Run "npm start": it uses the Node that npm ci has installed (unless npm ci ran with --omit=optional).\n`,
  );
  process.exit(1);
}
process.stdout.write('Starting …\n');
const started = performance.now();
const { existsSync } = await import('node:fs');
// Variables of the shell override those in the file.
if (existsSync('.env')) process.loadEnvFile('.env');
const { refusalOf } = await import('./apps/solo/src/checks/before-build.ts');
const refusal = await refusalOf(process.env);
if (refusal) {
  process.stderr.write(`${refusal.what} ${refusal.remedy}\n`);
  process.exit(1);
}
const { build } = await import('./build.js');
try {
  await build((count) => process.stdout.write(`Compiling ${count} files …\n`), {
    withTests: false,
  });
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
const { enableCompileCache } = await import('node:module');
enableCompileCache('dist/.compiled');
const { runSolo } = await import('./dist/apps/solo/src/run-solo.js');
// `npm start --offline`, without `--` before it, sets only an option of npm.
const isOffline = process.env.npm_config_offline === 'true';
await runSolo(isOffline ? [...process.argv, '--offline'] : process.argv, process.env, started);
