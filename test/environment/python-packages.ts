import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { cachedPath, madeOnce } from './made-once.js';

const run = promisify(execFile);
const DOWNLOAD_LIMIT_MS = 300_000;

/** A Python environment with the packages in a requirements file, installed once in the user's cache. */
export class PythonPackages {
  private readonly requirements: string;

  /** @param requirements path, relative to the repository, of the file with the exact version of every package. */
  constructor(
    private readonly name: string,
    requirements: string,
  ) {
    this.requirements = resolve(requirements);
  }

  /** @returns undefined if the packages are installed or pip can fetch them, and otherwise the reason why not. */
  availability(): string | undefined {
    if (existsSync(this.folder)) return undefined;
    const { status } = spawnSync('python3', ['-m', 'pip', '--version'], { stdio: 'ignore' });
    return status === 0 ? undefined : 'no Python with pip on this machine';
  }

  async python(): Promise<string> {
    const folder = await madeOnce(this.folder, (making) => this.install(making));
    return join(folder, 'bin/python');
  }

  private get folder(): string {
    return cachedPath(this.name, [this.requirements]);
  }

  private async install(into: string): Promise<void> {
    // Debian's Python cannot install pip into the environment, so the machine's own pip is used.
    await run('python3', ['-m', 'venv', '--without-pip', into]);
    const pip = ['-m', 'pip', '--python', join(into, 'bin/python'), 'install', '--quiet'];
    const only = ['--only-binary', ':all:', '--requirement', this.requirements];
    await run('python3', [...pip, ...only], { timeout: DOWNLOAD_LIMIT_MS });
  }
}
