/**
 * Runs a program of the product from the repository: `node run.js dist/apps/cli/src/main.js …`. First reads `.env`, if
 * there is one, and compiles changed files.
 */
import { existsSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from './build.js';

const [program] = process.argv.splice(2, 1);
process.argv[1] = resolve(program);
// Variables of the shell override those in the file.
if (existsSync('.env')) process.loadEnvFile('.env');
try {
  // A cluster starts brokers with code of the tests.
  await build((count) => process.stderr.write(`Compiling ${count} files …\n`), {
    withTests: program.includes('/cluster/'),
  });
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
enableCompileCache('dist/.compiled');
await import(pathToFileURL(process.argv[1]).href);
