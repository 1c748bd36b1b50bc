import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { request } from 'undici';
import { newId } from '#libs/platform';
import { S3Server, makeOwnFolder, s3ServerAvailability, waitFor } from '#test/environment';
import { CorpusStandIn } from '../../../../test/worker/corpus-stand-in.js';
import { QuestionsStandIn } from '../../../../test/worker/questions-stand-in.js';
import { WorkerUnderTest } from '../../../../test/worker/worker-under-test.js';
import { partsFolder } from '../jobs/job.js';

jest.setTimeout(1_900_000);

const ADDRESS_SECONDS_MAX = 900;
const BUILT_MS = 120_000;

(s3ServerAvailability() === undefined ? describe : describe.skip)('files in a bucket', () => {
  const under = new WorkerUnderTest();
  const lookup = new QuestionsStandIn();
  const corpus = new CorpusStandIn();
  let server: S3Server;

  beforeAll(async () => {
    server = await S3Server.start(makeOwnFolder('results-on-s3'));
    await lookup.start();
    corpus.rowsOf = () => [{ key: 1, name: 'bucket.com' }];
    await corpus.start();
    await under.start(lookup.url, { files: server.settings(), corpusUrl: corpus.url });
  });
  afterAll(async () => {
    await under.stop();
    await lookup.stop();
    await corpus.stop();
    await server?.stop();
  });

  const ask = async (path: string, accountId: string) => {
    const authorization = `Bearer ${under.tokens.issue('gateway', 'worker')}`;
    const { statusCode, headers, body } = await request(`${under.worker.url}/internal/${path}`, {
      headers: { authorization, 'x-account-id': accountId },
    });
    await body.dump();
    return { statusCode, location: headers.location as string };
  };

  /** Fetches a file by the URL to which its owner is redirected, and expects that changed parameters are rejected. */
  async function fetchFrom(path: string, accountId: string) {
    const { statusCode, location } = await ask(path, accountId);
    expect(statusCode).toBe(302);
    const address = new URL(location);
    const expires = Number(address.searchParams.get('X-Amz-Expires'));
    expect(expires).toBeLessThanOrEqual(ADDRESS_SECONDS_MAX);
    const file = await request(address);
    const bytes = Buffer.from(await file.body.arrayBuffer());
    for (const [part, value] of [
      ['X-Amz-Expires', '86400'],
      ['X-Amz-Signature', '0'.repeat(64)],
    ] as const) {
      const changed = new URL(address);
      changed.searchParams.set(part, value);
      const forged = await request(changed);
      expect([part, forged.statusCode]).toEqual([part, 403]);
      await forged.body.dump();
    }
    return { bytes, disposition: file.headers['content-disposition'] };
  }

  it('S76: results are one file of all chunks, and only their owner gets the URL, which is valid for 15 minutes', async () => {
    const accountId = newId();
    const names = Array.from(
      { length: 900 },
      (_, n) => `bucket-${n}.${['com', 'de', 'org'][n % 3]}`,
    );
    const { id } = await under.createJob(accountId, 'whois', { domainNames: names });
    const { artifacts, credits } = await under.endOfJob(accountId, id);
    expect(credits.charged).toBe(900);
    const path = `jobs/${id}/results`;
    expect((await ask(path, newId())).statusCode).toBe(404);
    const { bytes, disposition } = await fetchFrom(path, accountId);
    expect(disposition).toMatch(/^attachment; filename="whois-/);
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(artifacts[0].sha256);
    const rows = gunzipSync(bytes).toString().trimEnd().split('\r\n').slice(1);
    expect(rows.map((row) => row.split(',')[1]).toSorted()).toEqual(names.toSorted());
    await waitFor('the parts to go', async () => {
      const { files } = await under.files.list(partsFolder(id!), { limit: 10 });
      return files.length === 0;
    });
  });

  it('S76: the URL of a database file is valid for 15 minutes, and only accounts whose plan includes the file get it', async () => {
    const owner = newId();
    under.entitlement.datasets.set(owner, ['names']);
    const path = 'files/newly/2026-11-22?format=csv.gz';
    await waitFor('the file', async () => (await ask(path, owner)).statusCode !== 404, BUILT_MS);
    const { bytes, disposition } = await fetchFrom(path, owner);
    expect(disposition).toMatch(/^attachment; filename="newly-2026-11-22\.csv\.gz"/);
    expect(gunzipSync(bytes).toString()).toBe('domain_name\r\nbucket.com\r\n');
    expect((await ask('files/newly_whois/2026-11-22?format=csv.gz', owner)).statusCode).toBe(403);
    under.entitlement.datasets.set(owner, []);
    expect((await ask(path, owner)).statusCode).toBe(403);
  });
});
