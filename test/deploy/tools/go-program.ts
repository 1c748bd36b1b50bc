import { execFile, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CACHE } from '../../environment/made-once.js';

export interface GoProgram {
  name: string;
  module: string;
  version: string;
  folder: string;
  /**
   * If set, the program is built with the versions that its own go.mod names. Modules that this go.mod replaces with
   * folders of its own repository are fetched in the version given here.
   */
  publishedAs?: string;
  /** A Go file of this project that is built with the module's packages, in place of a folder of the module. */
  source?: string;
  /** Strings that the linker inserts, by variable. */
  variables?: Record<string, string>;
}

const GO_CACHE = join(CACHE, 'go');
/** A time limit for a build: a Kubernetes API server has 1,300 packages, which take half an hour on a busy machine. */
const BUILD_LIMIT_MS = 3_600_000;
const DOWNLOAD_LIMIT_MS = 600_000;
const OUTPUT_MAX_BYTES = 64 * 1024 * 1024;

export const areBuilt = (programs: readonly GoProgram[]) =>
  programs.every((program) => existsSync(pathOf(program)));

/** @returns undefined if all of these programs can be built on this machine, and otherwise the reason why not. */
export function goAvailability(programs: readonly GoProgram[]): string | undefined {
  if (areBuilt(programs)) return undefined;
  const hasGo = spawnSync('go', ['version'], { stdio: 'ignore' }).status === 0;
  return hasGo ? undefined : 'no Go on this machine';
}

/** Returns the path of the program. It is built once, into the user's cache. */
export async function goProgram(program: GoProgram): Promise<string> {
  const path = pathOf(program);
  if (existsSync(path)) return path;
  const making = `${path}.making.${process.pid}`;
  mkdirSync(making, { recursive: true });
  try {
    writeFileSync(join(making, 'go.mod'), await moduleFile(program));
    if (program.publishedAs) {
      copyFileSync(join(await moduleFolder(program), 'go.sum'), join(making, 'go.sum'));
    }
    const { module, version, folder, name, source, variables = {} } = program;
    if (source) copyFileSync(source, join(making, 'main.go'));
    await go(making, 'get', `${module}@${version}`);
    const values = Object.entries(variables).map(([key, value]) => ` -X ${key}=${value}`);
    const flags = ['-trimpath', `-ldflags=-s -w${values.join('')}`, '-o', name];
    await go(making, 'build', ...flags, source ? '.' : join(module, folder));
    renameSync(join(making, name), path);
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
  return path;
}

/** Returns the folder in which Go stores a module's source code. Fetches the source code if it is missing. */
export async function moduleFolder({ module, version }: Pick<GoProgram, 'module' | 'version'>) {
  const { stdout } = await promisify(execFile)(
    'go',
    ['mod', 'download', '-json', `${module}@${version}`],
    { cwd: tmpdir(), timeout: DOWNLOAD_LIMIT_MS },
  );
  return (JSON.parse(stdout) as { Dir: string }).Dir;
}

async function moduleFile(program: GoProgram): Promise<string> {
  if (!program.publishedAs) return 'module built\n';
  const own = readFileSync(join(await moduleFolder(program), 'go.mod'), 'utf8');
  return own
    .replace(/^module .*$/m, 'module built')
    .replaceAll(/^(\s*)(\S+) => \.\/\S+$/gm, `$1$2 => $2 ${program.publishedAs}`);
}

/**
 * Runs a command of Go. Checksums that a module's own go.sum lacks are taken from Go's public checksum database.
 * Processes take turns, so that later ones find the packages in Go's cache.
 */
async function go(cwd: string, ...args: string[]): Promise<void> {
  await promisify(execFile)('flock', [join(GO_CACHE, 'lock'), 'go', ...args], {
    cwd,
    env: { ...process.env, CGO_ENABLED: '0', GOFLAGS: '-mod=mod -buildvcs=false' },
    timeout: BUILD_LIMIT_MS,
    maxBuffer: OUTPUT_MAX_BYTES,
  });
}

const pathOf = ({ name, version }: GoProgram) => join(GO_CACHE, `${name}@${version}`);
