import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { DAY_MS } from '#libs/platform';
import { CorpusStandIn } from '../../../../test/worker/corpus-stand-in.js';
import { QuestionsStandIn } from '../../../../test/worker/questions-stand-in.js';
import { WorkerUnderTest } from '../../../../test/worker/worker-under-test.js';
import { ResolveHostsJob } from './resolve-hosts.job.js';

const under = new WorkerUnderTest();
const corpus = new CorpusStandIn();
const lookup = new QuestionsStandIn();

beforeAll(async () => {
  await corpus.start();
  await lookup.start();
  await under.start(lookup.url, { corpusUrl: corpus.url });
  await under.holdJob('resolve-hosts');
  await under.database.query(`delete from feed_cursors where reader = 'hosts'`);
});
afterAll(async () => {
  await under.stop();
  await lookup.stop();
  await corpus.stop();
});

async function resolve(): Promise<string[]> {
  lookup.calls.length = 0;
  await under.worker.app.get(ResolveHostsJob, { strict: false }).runOnce();
  return lookup.calls.flatMap(({ names }) => names);
}

it('the addresses of hosts are looked up with the lowest priority, and a day after the last host, the first one has its turn again', async () => {
  corpus.nextNames.host.push('www.certified.com', 'old.certified.com');
  expect(await resolve()).toEqual(['www.certified.com', 'old.certified.com']);
  expect(lookup.calls).toMatchObject([
    { kind: 'dns', types: ['A', 'AAAA'], priority: 'background', maxAgeSeconds: 0 },
  ]);
  corpus.nextNames.host.push('www.certified.com');
  expect(await resolve()).toEqual([]);
  under.clock.advance(DAY_MS);
  expect(await resolve()).toEqual(['www.certified.com']);
});

it('hosts are looked up again after a run that was interrupted', async () => {
  under.clock.advance(DAY_MS);
  lookup.isBreakingOff = true;
  corpus.nextNames.host.push('www.certified.com');
  await expect(resolve()).rejects.toThrow();
  lookup.isBreakingOff = false;
  corpus.nextNames.host.push('www.certified.com');
  expect(await resolve()).toEqual(['www.certified.com']);
});
