import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cachedPath, madeOnce } from '../made-once.js';

/** The folder of the broker's pom and settings, relative to the compiled file. */
export const KAFKA_FOLDER = join(import.meta.dirname, '../../../../deploy/kafka');
const POM = join(KAFKA_FOLDER, 'pom.xml');
const DOWNLOAD_LIMIT_MS = 300_000;

/** @returns undefined if a broker can run on this machine, and otherwise the reason why not. */
export function kafkaAvailability(): string | undefined {
  const missing: string[] = [];
  if (!runs('java', '-version')) missing.push('Java');
  if (!existsSync(cachedPath('kafka', [POM])) && !runs('mvn', '-v')) missing.push('Maven');
  return missing.length > 0 ? `no ${missing.join(' and no ')} on this machine` : undefined;
}

export const kafkaJars = () => mavenJars('kafka', POM);

/** Returns the folder with the jars that a pom names. Maven fetches them if they are not in the user's cache. */
export async function mavenJars(kind: string, pom: string): Promise<string> {
  return madeOnce(cachedPath(kind, [pom]), async (folder) => {
    const goal = ['dependency:copy-dependencies', `-DoutputDirectory=${folder}`];
    const words = ['-q', '-B', '-f', pom, ...goal];
    await promisify(execFile)('mvn', words, { timeout: DOWNLOAD_LIMIT_MS });
  });
}

function runs(program: string, argument: string): boolean {
  return spawnSync(program, [argument], { stdio: 'ignore' }).status === 0;
}
