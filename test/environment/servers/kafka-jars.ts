import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

/** Where the broker's pom and its settings lie, seen from the compiled file. */
export const KAFKA_FOLDER = join(import.meta.dirname, '../../../../deploy/kafka');

const DOWNLOAD_LIMIT_MS = 300_000;

/** @returns undefined when a broker can run here, else why not. */
export function kafkaAvailability(): string | undefined {
  const missing: string[] = [];
  if (!runs('java', '-version')) missing.push('Java');
  if (!existsSync(jarFolder()) && !runs('mvn', '-v')) missing.push('Maven');
  return missing.length > 0 ? `no ${missing.join(' and no ')} on this machine` : undefined;
}

/**
 * The folder of the broker's jars, fetched by Maven when they are not in the user's cache yet. Of several
 * processes that fetch at once the first one's folder is kept.
 */
export async function kafkaJars(): Promise<string> {
  const folder = jarFolder();
  if (existsSync(folder)) return folder;
  const making = `${folder}.making.${process.pid}`;
  mkdirSync(dirname(folder), { recursive: true });
  try {
    const goal = ['dependency:copy-dependencies', `-DoutputDirectory=${making}`];
    const pom = join(KAFKA_FOLDER, 'pom.xml');
    await promisify(execFile)('mvn', ['-q', '-B', '-f', pom, ...goal], {
      timeout: DOWNLOAD_LIMIT_MS,
    });
    renameSync(making, folder);
  } catch (error) {
    if (existsSync(folder)) return folder;
    throw new Error("Maven could not fetch the broker's jars", { cause: error });
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
  return folder;
}

/** Named by what is in it, so that another version is another folder. */
function jarFolder(): string {
  const pom = readFileSync(join(KAFKA_FOLDER, 'pom.xml'));
  const version = createHash('sha256').update(pom).digest('hex').slice(0, 12);
  return join(homedir(), '.cache', 'domain-data-service', `kafka-${version}`);
}

function runs(program: string, argument: string): boolean {
  return spawnSync(program, [argument], { stdio: 'ignore' }).status === 0;
}
