import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { deriveCatalogue, writeCatalogue } from './derivation.js';

const row = (text: string, status = 'not_registered') =>
  JSON.stringify({ server: '', tld: 'test', text, expected: { status, domain: 'sample.test' } });

const RECORDED = [
  row('% Queries are answered by Zonadomo Ltd on 3 June 2026\n\nNo match for "sample.test".\n'),
  row('% Zonadomo shows no names of ministries\n\nDomain Name: sample.test\n', 'registered'),
  row('% Too many requests from your network\n\nNo match for "sample.test".\n'),
];

const folders: string[] = [];

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

function folderOf(rows: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'small-print-'));
  folders.push(folder);
  writeFileSync(join(folder, 'recorded.jsonl'), `${rows.join('\n')}\n`);
  return folder;
}

describe('the catalogue of small print', () => {
  it('contains the sentences that accompany recorded statements of absence, without names, numbers or dates', () => {
    expect(deriveCatalogue('', folderOf(RECORDED))).toEqual(['queries are answered by * on #']);
  });

  it('is also derived from published terms', () => {
    expect(deriveCatalogue('See https://a.example for our terms', folderOf([]))).toEqual([
      'see @ for our terms',
    ]);
  });

  it('is not replaced if the new catalogue is smaller by more than a tenth', () => {
    const folder = folderOf(RECORDED);
    const file = join(folder, 'catalogue.json');
    writeFileSync(file, JSON.stringify(['a b c', 'b c d', 'c d e']));
    expect(() => writeCatalogue(folder, file, '')).toThrow(/is incomplete/);
  });
});
