import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';

const PROGRAM = new URL('./main.js', import.meta.url).pathname;
const MAIL = ['--smtp-url', 'smtp://mail.example:25'];
const NOWHERE = {
  DATABASE_ADMIN_URL: 'postgres://postgres@127.0.0.1:9/nothing',
  DATABASE_ROLE_SECRET: 'a secret of at least thirty-two characters',
};

describe('a command that fails', () => {
  const folder = mkdtempSync(join(tmpdir(), 'command-fault-'));
  const file = join(folder, 'a-file');
  writeFileSync(file, 'no routing table');
  afterAll(() => rmSync(folder, { recursive: true }));

  const run = (args: string[], settings: object = {}) => {
    const { PATH, NODE_COMPILE_CACHE } = process.env;
    const env = { PATH, NODE_COMPILE_CACHE, DATA_DIR: folder, ...settings };
    return spawnSync(process.execPath, [PROGRAM, ...args], { env, encoding: 'utf8' });
  };

  it.each([
    [
      'routing convert rib.gz --write origins.txt',
      ['routing', 'convert', join(folder, 'rib.gz'), '--write', join(folder, 'origins.txt')],
      `${folder}/rib.gz: there is no such file or folder.`,
    ],
    [
      'routing convert a-file --write missing/origins.txt',
      ['routing', 'convert', file, '--write', join(folder, 'missing/origins.txt')],
      `${folder}/missing/origins.txt.new: there is no such file or folder.`,
    ],
    [
      'routing convert a-file --write origins.txt',
      ['routing', 'convert', file, '--write', join(folder, 'origins.txt')],
      `${file}: it is not an MRT file`,
    ],
    [
      'secrets a-file/secrets',
      ['secrets', join(file, 'secrets'), ...MAIL],
      `${file}/secrets: a part of this path is not a folder.`,
    ],
    ['tlds show zzzz', ['tlds', 'show', 'zzzz'], '.zzzz is not a top-level domain in these tables'],
    ['provision', ['provision'], '127.0.0.1:9: nothing listens there.'],
  ])('says why in a sentence, with exit code 1: %s', (_words, args, sentence) => {
    const { status, stdout, stderr } = run(args, NOWHERE);
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^[^\n]+\n$/);
    expect(stderr).toContain(sentence);
  });
});
