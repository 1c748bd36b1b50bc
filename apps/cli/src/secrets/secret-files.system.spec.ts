import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';

const PROGRAM = new URL('../main.js', import.meta.url).pathname;
const LIMIT_MS = 150_000;

describe('the folder of a deployment’s secrets', () => {
  const folder = mkdtempSync(join(tmpdir(), 'secret-files-'));
  const file = join(folder, 'a-file');
  writeFileSync(file, 'something else', { mode: 0o644 });
  afterAll(() => rmSync(folder, { recursive: true }));

  const write = (into: string) => {
    const { PATH, NODE_COMPILE_CACHE } = process.env;
    const env = { PATH, NODE_COMPILE_CACHE, DATA_DIR: folder };
    const args = [PROGRAM, 'secrets', into, '--smtp-url', 'smtp://mail.example:25'];
    return spawnSync(process.execPath, args, { env, encoding: 'utf8', timeout: LIMIT_MS });
  };

  it('missing parent folders are created for their owner alone', () => {
    expect(write(join(folder, 'one/two'))).toMatchObject({ status: 0, stderr: '' });
    for (const made of ['one', 'one/two']) {
      expect(statSync(join(folder, made)).mode & 0o777).toBe(0o700);
    }
    expect(existsSync(join(folder, 'one/two/postgres_password'))).toBe(true);
  });

  it('containers can read the files, even if the operator hides new files from others', () => {
    const before = process.umask(0o077);
    const { status } = write(join(folder, 'hidden'));
    process.umask(before);
    expect(status).toBe(0);
    expect(statSync(join(folder, 'hidden/postgres_password')).mode & 0o777).toBe(0o644);
  });

  const denials = [
    ['cannot be created', '/proc/nothing/secrets', '/proc/nothing: '],
    ['is a file', file, `${file}: there is a file with this name.\n`],
  ];

  it.each(denials)(
    'a path that %s is rejected with a one-sentence message',
    (_what, into, sentence) => {
      const { status, stdout, stderr } = write(into);
      expect([status, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(/^[^\n]+\n$/);
      expect(stderr).toContain(sentence);
      expect(statSync(file).mode & 0o777).toBe(0o644);
    },
  );
});
