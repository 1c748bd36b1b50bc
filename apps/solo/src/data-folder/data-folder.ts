import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const PRIVATE_MODE = 0o600;
/** The mode of the folder: PostgreSQL's user must be able to enter it. Each file inside has its own permissions. */
const FOLDER_MODE = 0o755;

/** The data folder of one installation: `secrets.json`, `solo.json`, `solo.lock`, `postgres/`, `payments.journal` … */
export class DataFolder {
  readonly path: string;

  constructor(path: string) {
    this.path = resolve(path);
  }

  /** Creates the folder if it does not exist. */
  create(): void {
    createFolder(this.path);
  }

  file(name: string): string {
    return join(this.path, name);
  }

  /**
   * Reads and parses a file; returns undefined if the file does not exist.
   * @throws Error if it cannot be read or is not JSON.
   */
  readJson<T>(name: string): T | undefined {
    try {
      return JSON.parse(readFileSync(this.file(name), 'utf8')) as T;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw new Error(`${this.file(name)} cannot be read`, { cause: error });
    }
  }

  /**
   * Replaces the file in one step, so that after a crash either the old or the new file exists. Only this user can read
   * the file.
   */
  writePrivateJson(name: string, value: unknown): void {
    this.writePrivateText(name, `${JSON.stringify(value, null, 2)}\n`);
  }

  writePrivateText(name: string, text: string): void {
    const partial = this.file(`${name}.partial`);
    // Without the flush, a power failure could leave an empty file: some file systems rename before they write.
    writeFileSync(partial, text, { mode: PRIVATE_MODE, flush: true });
    // `mode` applies only to a new file.
    chmodSync(partial, PRIVATE_MODE);
    renameSync(partial, this.file(name));
  }

  remove(name: string): void {
    rmSync(this.file(name), { force: true });
  }
}

/**
 * Creates folders one by one, because Node's `recursive` option never returns in file systems such as /proc, which
 * answer ENOENT.
 */
function createFolder(path: string): void {
  if (existsSync(path)) return;
  if (dirname(path) !== path) createFolder(dirname(path));
  mkdirSync(path, { mode: FOLDER_MODE });
}
