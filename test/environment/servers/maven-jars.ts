import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const DOWNLOAD_LIMIT_MS = 300_000;

/**
 * The folder of the jars that a pom names, which Maven fetches if they are not in the user's cache. If several
 * processes fetch at once, the folder of the first one is kept.
 * @param kind the prefix of the folder's name.
 */
export async function mavenJars(kind: string, pom: string): Promise<string> {
  const folder = jarFolder(kind, pom);
  if (existsSync(folder)) return folder;
  const making = `${folder}.making.${process.pid}`;
  mkdirSync(dirname(folder), { recursive: true });
  try {
    const goal = ['dependency:copy-dependencies', `-DoutputDirectory=${making}`];
    await promisify(execFile)('mvn', ['-q', '-B', '-f', pom, ...goal], {
      timeout: DOWNLOAD_LIMIT_MS,
    });
    renameSync(making, folder);
  } catch (error) {
    if (existsSync(folder)) return folder;
    throw new Error(`Maven could not fetch the jars of ${kind}`, { cause: error });
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
  return folder;
}

/** The folder is named after the content of the pom, so that every version gets its own folder. */
export function jarFolder(kind: string, pom: string): string {
  const version = createHash('sha256').update(readFileSync(pom)).digest('hex').slice(0, 12);
  return join(homedir(), '.cache', 'domain-data-service', `${kind}-${version}`);
}
