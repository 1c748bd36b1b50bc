import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

const PROGRAM = new URL('main.js', import.meta.url).pathname;

describe('npm run cluster', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'cluster-'));
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const run = (options: string[], settings: Record<string, string> = {}) => {
    const env = { PATH: process.env.PATH, CLUSTER_DATA_DIR: folder, ...settings };
    return spawnSync(process.execPath, [PROGRAM, ...options], {
      env,
      encoding: 'utf8',
      timeout: 150_000,
    });
  };

  it('an option that it does not know, or a number it cannot start, starts nothing', () => {
    const unknown = run(['--threads', '3']);
    expect(unknown.status).toBe(1);
    expect(unknown.stderr).toContain("unknown option '--threads'");
    const none = run(['--gateways', '0']);
    expect(none.status).toBe(1);
    expect(none.stderr).toContain('CLUSTER_GATEWAYS');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('all that is missing on a machine is said at once, and what to install once', () => {
    const { status, stderr } = run([], { PATH: folder, HOME: folder });
    expect(status).toBe(1);
    expect(stderr).toBe(
      'A cluster cannot run here: no Java and no Maven on this machine, and no valkey-server or redis-server ' +
        'on this machine. On Debian: apt-get install default-jre-headless maven redis-server\n',
    );
    expect(readdirSync(folder)).toEqual([]);
  });

  it('its help names every setting', () => {
    const { status, stdout } = run(['--help']);
    expect(status).toBe(0);
    for (const name of ['CLUSTER_GATEWAYS', 'CLUSTER_DATA_DIR', 'CLUSTER_API_PORT']) {
      expect(stdout).toContain(name);
    }
  });
});
