import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { DAY_MS } from '#libs/platform';
import { CorpusStandIn } from '../../../../test/worker/corpus-stand-in.js';
import { QuestionsStandIn } from '../../../../test/worker/questions-stand-in.js';
import { WorkerUnderTest } from '../../../../test/worker/worker-under-test.js';
import { ServiceClients } from '../service-clients.js';
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

it('hosts that are not due do not slow a pass down, and a run looks up at most 200', async () => {
  under.clock.advance(DAY_MS);
  const { corpus: client } = under.get(ServiceClients);
  let read = 0;
  const pages = jest.spyOn(client, 'nextNames').mockImplementation(async ({ limit = 0 }) => {
    const after = { key: '1', name: `a.com host-${(read += limit)}` };
    return { names: [{ key: '1', name: `due-${read}.a.com` }], after };
  });
  expect(await resolve()).toHaveLength(20);
  expect(read).toBeGreaterThan(3_500);
  pages.mockImplementation(async ({ limit = 0, after }) => {
    expect(after).toEqual({ key: '1', name: `a.com host-${read}` });
    const names = Array.from({ length: limit }, (_, at) => ({ key: '1', name: `${at}.a.com` }));
    return { names, after: null };
  });
  expect(await resolve()).toHaveLength(200);
  pages.mockRestore();
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
