import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Turns } from '#libs/platform';
import { CorpusUnderTest } from '#test/corpus';
import { domainKeyOf } from '../names/domain-key.js';
import { surpriseOf, trainedOn } from './lexical-model.js';
import { SignalsRepository } from './signals.repository.js';
import { SignalsService } from './signals.service.js';
import { TrainModelJob } from './train-model.job.js';

const SEEN = '2024-03-01T12:00:00.000Z';
const LISTED = '2024-05-01T00:00:00.000Z';

describe('signals', () => {
  let corpus: CorpusUnderTest;

  beforeAll(async () => {
    corpus = await CorpusUnderTest.start();
    const record = { create_date: '2020-01-01' };
    await corpus.record({ kind: 'whois', name: 'deceives.com', at: SEEN, record });
    await corpus.database.query(
      `insert into source (id, name, kind, is_shown, is_sold, is_looked_up, created_at)
       values (50, 'phish list', 'blocklist', true, false, false, now())`,
    );
    await corpus.database.query(
      `insert into source_batch (id, source_id, scope, is_complete, observed_at, loaded_at)
       values (gen_random_uuid(), 50, 'block list', true, now(), now())`,
    );
    const insert = `insert into listed_name
      (domain_key, name, host, source_id, category, listed_at, delisted_at)
      values ($1, $2, $3, 50, 'phishing', $4, $5)`;
    for (const [name, host, gone] of [
      ['deceives.com', '', null],
      ['hosts.com', 'bad', null],
      ['forgiven.com', '', SEEN],
    ]) {
      const values = [domainKeyOf(name!), name, host, LISTED, gone];
      await corpus.database.query(insert, values);
    }
  });
  afterAll(() => corpus.stop());

  it('a list that contains a name is returned with its date, and a list that removed the name is not returned', async () => {
    const signals = corpus.get(SignalsService);
    expect(await signals.of('deceives.com')).toEqual({
      firstSeen: SEEN,
      lists: 1,
      listings: [{ list: 'phish list', category: 'phishing', host: '', listedAt: LISTED }],
      lexical: null,
    });
    expect((await signals.of('hosts.com')).listings).toMatchObject([{ host: 'bad' }]);
    expect(await signals.of('forgiven.com')).toMatchObject({ firstSeen: null, listings: [] });
  });

  it('labels are scored by a model of the known names, and training creates a new version of the model', async () => {
    await corpus.generate(1_000, 5);
    const job = corpus.get(TrainModelJob);
    await job.runOnce();
    await job.runOnce();
    const kept = await corpus.database.query('select version from lexical_model');
    expect(kept).toEqual([{ version: 2 }]);
    const model = (await corpus.get(SignalsRepository).newestModel())!;
    const surprise = surpriseOf(model);
    expect(surprise('silverriver')).toBeLessThan(surprise('xq7zkvjw2p'));
    const { lexical } = await corpus.get(SignalsService).of('xq7zkvjw2pqz.com');
    expect(lexical).toMatchObject({ version: 2 });
    expect(lexical!.deviations).toBeGreaterThan(3);
    const usual = (await corpus.get(SignalsService).of('silvermarket.com')).lexical!;
    expect(usual.deviations).toBeLessThan(2);
    expect((await trainedOn(['aaa', 'aaa'])).deviation).toBe(0);
  });

  it('S102: requests are answered while a model is being trained', async () => {
    const spend = jest.spyOn(Turns.prototype, 'spend');
    await trainedOn(Array.from({ length: 10_000 }, (_, place) => `label${place}`));
    expect(spend.mock.results.filter(({ value }) => value).length).toBeGreaterThan(50);
    spend.mockRestore();
  });
});
