import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { findBinaries } from './binaries.js';

describe('the copy made when the server’s user cannot reach the installed PostgreSQL', () => {
  const folder = mkdtempSync(join(tmpdir(), 'binaries-'));
  const native = join(folder, 'package', 'native');
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Installs a package whose server only runs elsewhere, and prints its version. */
  function install(version: string): void {
    mkdirSync(join(native, 'bin'), { recursive: true });
    writeFileSync(join(native, 'pg-symlinks.json'), '[]');
    writeFileSync(join(folder, 'package', 'package.json'), JSON.stringify({ version }));
    const script = `#!/bin/sh\ncase "$0" in */package/*) exit 1 ;; esac\necho ${version}\n`;
    writeFileSync(join(native, 'bin', 'postgres'), script, { mode: 0o755 });
  }

  async function startedVersion(): Promise<string> {
    const binaries = await findBinaries(undefined, folder, native);
    return spawnSync(join(binaries, 'bin', 'postgres'), { encoding: 'utf8' }).stdout.trim();
  }

  it('is replaced after an update of the package, so that its security fixes apply', async () => {
    install('18.4.0');
    expect(await startedVersion()).toBe('18.4.0');
    install('18.5.0');
    expect(await startedVersion()).toBe('18.5.0');
  });
});
