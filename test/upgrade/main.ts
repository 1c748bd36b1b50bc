import { writeFileSync } from 'node:fs';
import { git } from '../tidy/history.js';
import { SERVICES } from '../../apps/services.js';
import { writeVersion } from './release-files.js';
import { RELEASED_MIGRATIONS_FILE, releasedMigrationsOf } from './released-migrations.js';

/** Prepares the working tree for a release (`npm run release -- 0.2.0`). CONTRIBUTING.md describes the other steps. */
function main([version = '']: string[]): void {
  if (git('status', '--porcelain').stdout !== '')
    throw new Error('files have changed: commit first');
  writeVersion(version, new Date().toISOString().slice(0, 10));
  const migrations = releasedMigrationsOf(SERVICES);
  writeFileSync(RELEASED_MIGRATIONS_FILE, `${JSON.stringify(migrations, undefined, 2)}\n`);
  process.stdout.write(`Next: git commit -am 'release: ${version}' && git tag v${version}\n`);
}

try {
  main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
