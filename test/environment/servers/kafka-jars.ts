import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { jarFolder, mavenJars } from './maven-jars.js';

/** The folder of the broker's pom and settings, relative to the compiled file. */
export const KAFKA_FOLDER = join(import.meta.dirname, '../../../../deploy/kafka');

const KIND = 'kafka';
const POM = join(KAFKA_FOLDER, 'pom.xml');

/** @returns undefined if a broker can run here, otherwise the reason why not. */
export function kafkaAvailability(): string | undefined {
  const missing: string[] = [];
  if (!runs('java', '-version')) missing.push('Java');
  if (!existsSync(jarFolder(KIND, POM)) && !runs('mvn', '-v')) missing.push('Maven');
  return missing.length > 0 ? `no ${missing.join(' and no ')} on this machine` : undefined;
}

/** The folder of the broker's jars. */
export const kafkaJars = () => mavenJars(KIND, POM);

function runs(program: string, argument: string): boolean {
  return spawnSync(program, [argument], { stdio: 'ignore' }).status === 0;
}
