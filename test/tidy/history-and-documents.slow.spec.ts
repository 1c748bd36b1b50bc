import { execFileSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { git, historyMissing } from './history.js';
import { secretHistoryFaults } from './secret-rules.js';

(historyMissing() ? describe.skip : describe)('the history', () => {
  it('S113: no commit has ever added text that looks like a secret', () => {
    expect(secretHistoryFaults()).toEqual([]);
  });

  it('no commit subject is longer than 72 characters', () => {
    // Older commits are not checked.
    const since = '--since=2026-11-22T07:00:00Z';
    const { status, stdout } = git('log', '--no-merges', since, '--format=%h %s', 'HEAD');
    expect(status).toBe(0);
    const lines = Buffer.from(stdout, 'latin1').toString().split('\n');
    expect(lines.filter((line) => line.slice(line.indexOf(' ') + 1).length > 72)).toEqual([]);
  });
});

it('every generated document is up to date', () => {
  // This runs in a separate process, because other specs of this worker declare events and metrics that are not
  // documented.
  const module = './dist/apps/cli/src/documents/generated-documents.js';
  const script = `const { generatedDocuments, staleDocuments } = await import('${module}');
    process.stdout.write(JSON.stringify(staleDocuments(await generatedDocuments())));`;
  const stale = execFileSync(process.execPath, ['--input-type=module', '--eval', script]);
  expect(JSON.parse(String(stale))).toEqual([]);
});
