import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { git } from '../tidy/history.js';

const OUTPUT_MAX_BYTES = 64 * 1024 * 1024;

/** The whole tree of a release in a folder of its own, compiled by its own build. */
export class ReleaseTree {
  private constructor(private readonly folder: string) {}

  static check(commit: string): ReleaseTree {
    const folder = mkdtempSync(join(tmpdir(), 'release-'));
    const tree = new ReleaseTree(folder);
    try {
      run('git', ['worktree', 'add', '--detach', '--force', folder, commit], '.');
      tree.install();
      run(process.execPath, ['build.js'], folder);
      return tree;
    } catch (error) {
      tree.remove();
      throw error;
    }
  }

  /** Where its compiled apps lie. */
  get apps(): string {
    return join(this.folder, 'dist/apps/');
  }

  /** For its services beside those on the clock of a test: its own classes are to read that clock. */
  get clockSettings(): Record<string, string> {
    const preload = pathToFileURL(join(this.folder, 'dist/test/environment/preload-file-clock.js'));
    return { NODE_OPTIONS: `--import=${preload.href}` };
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
    git('worktree', 'prune');
  }

  /** The packages of this tree do when the lock file names the same. */
  private install(): void {
    const lock = (folder: string) => {
      const text = readFileSync(join(folder, 'package-lock.json'), 'utf8');
      const { packages } = JSON.parse(text) as { packages: Record<string, object> };
      return JSON.stringify({ ...packages, '': undefined });
    };
    const here = resolve('node_modules');
    if (lock(this.folder) === lock('.') && existsSync(here)) {
      symlinkSync(here, join(this.folder, 'node_modules'));
    } else run('npm', ['ci', '--ignore-scripts'], this.folder);
  }
}

function run(program: string, args: string[], cwd: string): void {
  execFileSync(program, args, { cwd, stdio: 'pipe', maxBuffer: OUTPUT_MAX_BYTES });
}
