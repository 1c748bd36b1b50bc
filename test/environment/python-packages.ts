import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const CACHE = join(homedir(), '.cache', 'domain-data-service');
const DOWNLOAD_LIMIT_MS = 300_000;

/** A Python environment with the packages of one requirements file, installed once in the user's cache. */
export class PythonPackages {
  private readonly requirements: string;

  /** @param requirements path from the repository's root of the file with the exact version of every package. */
  constructor(
    private readonly name: string,
    requirements: string,
  ) {
    this.requirements = resolve(requirements);
  }

  /** @returns undefined if they are installed or pip can fetch them, otherwise the reason why not. */
  availability(): string | undefined {
    if (existsSync(this.folder)) return undefined;
    const { status } = spawnSync('python3', ['-m', 'pip', '--version'], { stdio: 'ignore' });
    return status === 0 ? undefined : 'no Python with pip on this machine';
  }

  /** @returns the path of the Python interpreter that has them. */
  async python(): Promise<string> {
    if (!existsSync(this.folder)) await this.install();
    return join(this.folder, 'bin/python');
  }

  private get folder(): string {
    const id = createHash('sha256').update(readFileSync(this.requirements)).digest('hex');
    return join(CACHE, `${this.name}-${id.slice(0, 12)}`);
  }

  private async install(): Promise<void> {
    const making = `${this.folder}.making.${process.pid}`;
    mkdirSync(CACHE, { recursive: true });
    try {
      // Debian's Python cannot install pip into the environment, so the machine's pip is used.
      await run('python3', ['-m', 'venv', '--without-pip', making]);
      const pip = ['-m', 'pip', '--python', join(making, 'bin/python'), 'install', '--quiet'];
      const only = ['--only-binary', ':all:', '--requirement', this.requirements];
      await run('python3', [...pip, ...only], { timeout: DOWNLOAD_LIMIT_MS });
      renameSync(making, this.folder);
    } finally {
      rmSync(making, { recursive: true, force: true });
    }
  }
}
