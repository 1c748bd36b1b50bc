import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { CorpusUnderTest } from '#test/corpus';
import { SLICES } from '../names/domain-key.js';
import { fileName } from '../names/registrable-name.js';
import { FullListsService } from '../observations/full-lists.service.js';
import { SignalsService } from '../signals/signals.service.js';
import { SuppressionsRepository } from './suppressions.repository.js';

describe('suppression', () => {
  let corpus: CorpusUnderTest;
  let folder: string;
  let names = 0;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'suppressions-'));
    const suppressionsPath = join(folder, 'suppressions.list');
    corpus = await CorpusUnderTest.start({ suppressionsPath });
  });
  afterAll(async () => {
    await corpus.stop();
    await rm(folder, { recursive: true });
  });

  const newName = () => `hidden-${++names}.com`;

  describe('a long list of names', () => {
    const fileId = '018f0000-0000-7000-8000-00000000000';
    let lists = 0;

    async function staged(name: string) {
      const at = new Date('2024-03-01T12:00:00.000Z');
      const file = { fileId: `${fileId}${++lists}`, at, isFirst: false, isDifference: false };
      const listing = corpus.get(FullListsService);
      await corpus.database.transaction(async (transaction) => {
        const names = [name, `kept-${name}`].map((one) => fileName(one)!);
        await listing.stage(transaction, file.fileId, names);
      });
      return async () => {
        for (let slice = 0; slice < SLICES; slice += 1) {
          await corpus.database.transaction(async (transaction) =>
            listing.apply(transaction, { ...file, sourceId: 1 }, slice),
          );
        }
        expect(await corpus.database.query('select from staged_name')).toEqual([]);
        const rows = await corpus.database.query<{ name: string }>(
          'select name from domain where name = any($1)',
          [[name, `kept-${name}`]],
        );
        return rows.map((row) => row.name);
      };
    }

    it('S118: a suppressed domain is not imported', async () => {
      const name = newName();
      await corpus.operate.suppress({ kind: 'domain', value: name });
      const apply = await staged(name);
      expect(await apply()).toEqual([`kept-${name}`]);
    });

    it('S118: a domain suppressed after staging is not imported, and is erased from the staging table', async () => {
      const name = newName();
      const apply = await staged(name);
      await corpus.operate.suppress({ kind: 'domain', value: name });
      const left = await corpus.database.query('select name from staged_name');
      expect(left).toEqual([{ name: `kept-${name}` }]);
      expect(await apply()).toEqual([`kept-${name}`]);
    });

    it('S119: a restored database does not import a suppressed domain from a list that was staged before the suppression', async () => {
      const name = newName();
      const apply = await staged(name);
      const backup = await corpus.database.query<{ row: object }>(
        'select to_jsonb(t) as row from staged_name t where name = $1',
        [name],
      );
      const { version } = await corpus.operate.suppress({ kind: 'domain', value: name });
      await corpus.database.transaction(async (transaction) => {
        await transaction.query('delete from suppression where version >= $1', [version]);
        await transaction.query(
          'insert into staged_name select * from jsonb_populate_record(null::staged_name, $1)',
          [JSON.stringify(backup[0].row)],
        );
      });
      expect(await apply()).toEqual([`kept-${name}`]);
      await corpus.eraseSuppressed();
    });
  });

  it('searches of a restored database do not wait for an older pass that was interrupted', async () => {
    const repository = corpus.get(SuppressionsRepository);
    await corpus.operate.suppress({ kind: 'phone', value: '+44.2033333333' });
    jest.spyOn(repository, 'finish').mockRejectedValueOnce(new Error('killed on purpose'));
    await expect(corpus.eraseSuppressed()).rejects.toThrow('killed on purpose');
    const { version } = await corpus.operate.suppress({ kind: 'phone', value: '+44.2044444444' });
    const unhide = 'update suppression set hidden_at = null where version = $1';
    await corpus.database.query(unhide, [version]);
    await corpus.eraseSuppressed();
    const left = await corpus.database.query('select from suppression where erased_at is null');
    expect(left).toEqual([]);
  });

  it('S119: a restored database does not show on which block lists a suppressed domain was', async () => {
    const name = newName();
    await corpus.operate.suppress({ kind: 'domain', value: name });
    await corpus.recordOf({ name: 'phishing', kind: 'blocklist' });
    await corpus.database.query(
      `insert into listed_name (domain_key, name, source_id, category, listed_at)
       select $1, $2, id, 'phishing', now() from source where name = 'phishing'`,
      [fileName(name)!.key, name],
    );
    const signals = corpus.get(SignalsService);
    expect(await signals.of(name)).toMatchObject({ firstSeen: null, listings: [] });
  });
});
