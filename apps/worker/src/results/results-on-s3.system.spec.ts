import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { request } from 'undici';
import { newId } from '#libs/platform';
import { S3Server, makeOwnFolder, s3ServerAvailability, waitFor } from '#test/environment';
import { QuestionsStandIn } from '../../../../test/worker/questions-stand-in.js';
import { WorkerUnderTest } from '../../../../test/worker/worker-under-test.js';
import { partsFolder } from '../jobs/job.js';

/** Where nobody has built the server before, it is built first. */
jest.setTimeout(1_900_000);

const ADDRESS_SECONDS_MAX = 900;

(s3ServerAvailability() === undefined ? describe : describe.skip)('results in a bucket', () => {
  const under = new WorkerUnderTest();
  const lookup = new QuestionsStandIn();
  let server: S3Server;

  beforeAll(async () => {
    server = await S3Server.start(makeOwnFolder('results-on-s3'));
    await lookup.start();
    await under.start(lookup.url, { files: server.settings() });
  });
  afterAll(async () => {
    await under.stop();
    await lookup.stop();
    await server?.stop();
  });

  const ask = (path: string, accountId: string) => {
    const authorization = `Bearer ${under.tokens.issue('gateway', 'worker')}`;
    return request(`${under.worker.url}${path}`, {
      headers: { authorization, 'x-account-id': accountId },
    });
  };

  it('S76: are one file of all chunks, at an address of 15 minutes that only its owner is given', async () => {
    const accountId = newId();
    const names = Array.from(
      { length: 900 },
      (_, n) => `bucket-${n}.${['com', 'de', 'org'][n % 3]}`,
    );
    const { id } = await under.createJob(accountId, 'whois', { domainNames: names });
    const { artifacts, credits } = await under.endOfJob(accountId, id);
    expect(credits.charged).toBe(900);
    const path = `/internal/key/jobs/${id}/results`;
    const stranger = await ask(path, newId());
    expect(stranger.statusCode).toBe(404);
    await stranger.body.dump();
    const { statusCode, headers, body } = await ask(path, accountId);
    await body.dump();
    expect(statusCode).toBe(302);
    const address = new URL(String(headers.location));
    expect(Number(address.searchParams.get('X-Amz-Expires'))).toBeLessThanOrEqual(
      ADDRESS_SECONDS_MAX,
    );
    const file = await request(address);
    const bytes = Buffer.from(await file.body.arrayBuffer());
    expect(file.headers['content-disposition']).toMatch(/^attachment; filename="whois-/);
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(artifacts[0].sha256);
    const rows = gunzipSync(bytes).toString().trimEnd().split('\r\n').slice(1);
    expect(rows.map((row) => row.split(',')[1]).toSorted()).toEqual(names.toSorted());
    await waitFor('the parts to go', async () => {
      const { files } = await under.files.list(partsFolder(id!), { limit: 10 });
      return files.length === 0;
    });
    address.searchParams.set('X-Amz-Expires', '86400');
    const forged = await request(address);
    expect(forged.statusCode).toBe(403);
    await forged.body.dump();
  });
});
