import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TYPOS, type TyposAnswer } from '#libs/contracts';
import { CorpusUnderTest } from '#test/corpus';
import { SUPPRESSED_MAX, SuppressedValues } from './suppressed-values.js';
import type { Readable } from './suppressions.repository.js';
import { SuppressionsService } from './suppressions.service.js';

const KEY = Buffer.alloc(32, 7);
const AT = '2026-01-05T00:00:00.000Z';
const HIDDEN = 'hidden-last.com';

describe('a list of suppressed values of the maximum length', () => {
  let corpus: CorpusUnderTest;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'long-list-'));
    const suppressionsPath = join(folder, 'suppressions.list');
    const hash = new SuppressedValues(KEY, []).hashOf('domain', HIDDEN);
    const lines = Array.from({ length: SUPPRESSED_MAX }, (_, place) => {
      const other = place.toString(16).padStart(64, '0');
      return `${place + 1} domain ${place === SUPPRESSED_MAX - 1 ? hash : other} ${AT}\n`;
    });
    await writeFile(suppressionsPath, `key ${KEY.toString('base64url')}\n${lines.join('')}`);
    corpus = await CorpusUnderTest.start({ suppressionsPath, work: 'serve' });
    // The copy of the list in the database is incomplete, as after a restore.
    await corpus.eraseSuppressed();
  });
  afterAll(async () => {
    await corpus.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('S118: even the last value of a list of the maximum length is hidden', async () => {
    const names = [HIDDEN, 'hidden-not.com'];
    await corpus.record(...names.map((name) => ({ kind: 'listed', name, at: AT })));
    const { domains } = await corpus.answerTo<TyposAnswer>(TYPOS, { keyword: 'hidden' });
    expect(domains.map(({ domain_name }) => domain_name)).toEqual(['hidden-not.com']);
  });

  it('accepts no further value, and says why', async () => {
    await expect(
      corpus.operate.suppress({ kind: 'domain', value: 'one-more.com' }),
    ).rejects.toMatchObject({
      status: 400,
      errors: [{ field: 'value', message: 'cannot be added: the list already has 100000 values' }],
    });
  });

  it('S118: a value that another process adds during a read is in the list from the next read on', async () => {
    const add = async (version: number) =>
      corpus.database.query(
        `insert into suppression (version, kind, hash, added_at, hidden_at)
         values ($1, 'email', int8send($1), now(), now())`,
        [version],
      );
    await add(SUPPRESSED_MAX + 1);
    const whileRead: Readable = {
      query: async <T>(sql: string, parameters?: unknown[]) => {
        const rows = await corpus.database.query<T & Record<string, unknown>>(sql, parameters);
        if (rows.some(({ version }) => version === SUPPRESSED_MAX + 1)) {
          await add(SUPPRESSED_MAX + 2);
        }
        return rows;
      },
    };
    const suppressions = corpus.get(SuppressionsService);
    const before = await suppressions.valuesNow(whileRead);
    expect(before.version).toBe(SUPPRESSED_MAX + 1);
    const after = await suppressions.valuesNow(corpus.database);
    expect(after.version).toBe(SUPPRESSED_MAX + 2);
  });
});
