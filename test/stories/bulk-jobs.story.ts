import { createHash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { beforeAll, expect, it } from '@jest/globals';
import { Upload as TusUpload } from 'tus-js-client';
import type { UsageAnswer } from '#libs/contracts';
import { waitFor } from '#test/environment';
import type { WebhookReceiver } from '../worker/webhook-receiver.js';
import { Customer } from './customer.js';
import type { Deployment } from './deployment.js';

const HOST = 'jobs.hooks.example';
const NAMES = Array.from(
  { length: 60 },
  (_, n) => `bulk-story-${n}.${['com', 'de', 'org'][n % 3]}`,
);
/** A CSV file from a spreadsheet, with a repeated line and a line without a domain name. */
const FILE = ['domain;note', ...NAMES.map((name) => `${name};x`), `${NAMES[0]};x`, 'no name;x'];

export function bulkJobs(open: () => Deployment, receiver: WebhookReceiver): void {
  let customer: Customer;
  let uploadId: string;
  let jobId: string;

  beforeAll(async () => {
    customer = new Customer(open(), 'bulk@story.example');
    await customer.joinWithCredits();
  });

  it('a compressed file is uploaded in pieces with tus, and its names are counted', async () => {
    const file = gzipSync(FILE.join('\r\n'));
    const url = await new Promise<string>((resolve, reject) => {
      const upload = new TusUpload(file as never, {
        endpoint: `${open().apiUrl}/v2.0/uploads`,
        headers: { 'x-api-key': customer.key },
        chunkSize: 200,
        metadata: { filename: 'names.csv.gz' },
        retryDelays: null,
        onError: reject,
        onSuccess: () => resolve(upload.url!),
      });
      upload.start();
    });
    uploadId = url.split('/').at(-1)!;
    const read = await waitFor('the names', async () => {
      const { status, body } = await customer.call('GET', `/api/uploads/${uploadId}`);
      return status === 200 && body.state !== 'reading' && body;
    });
    expect(read).toMatchObject({
      state: 'ready',
      file_name: 'names.csv.gz',
      counts: { lines: 62, unique: 60, invalid: 1, duplicates: 1 },
    });
  });

  it('the price is shown in advance, and 402 says how many credits are missing and where to buy them', async () => {
    const body = { upload_id: uploadId };
    const dry = await customer.call('POST', '/api/jobs/whois?dry_run=true', body);
    expect(dry).toMatchObject({
      status: 200,
      body: { id: null, credits: { price: 60, shortfall: 0 } },
    });
    const many = Array.from({ length: 501 }, (_, n) => `too-many-${n}.com`);
    const refused = await customer.api('POST', '/v2.0/jobs/whois', { domainNames: many });
    expect([refused.status, refused.json()]).toMatchObject([
      402,
      { code: 'insufficient_credits', price: 501, shortfall: 1 },
    ]);
  });

  it('S83: the job ends with an e-mail and a signed event, and its owner downloads exactly the right rows', async () => {
    const hook = { url: `https://${HOST}/in`, events: ['job.completed'] };
    expect((await customer.api('POST', '/v2.0/webhooks', hook)).status).toBe(201);
    const started = await customer.api('POST', '/v2.0/jobs/whois', { upload_id: uploadId });
    expect([started.status, started.json()]).toMatchObject([202, { credits: { held: 60 } }]);
    jobId = started.json().id as string;
    const mail = await customer.mailed('WHOIS job is finished');
    expect(mail.text).toContain(`${open().dashboardUrl}/jobs`);
    expect(mail.text).not.toContain('bulk-story');
    const event = await waitFor('the event', () => receiver.arrivedAt(HOST).at(0));
    expect(event.headers['webhook-signature']).toMatch(/^v1,/);
    expect(JSON.parse(event.body)).toMatchObject({
      type: 'job.completed',
      data: { id: jobId, state: 'completed', credits: { charged: 60 } },
    });
    const job = (await customer.api('GET', `/v2.0/jobs/${jobId}`)).json();
    expect(job).toMatchObject({ progress: 1, credits: { held: 0, charged: 60, released: 0 } });
    const results = await customer.api('GET', `/v2.0/jobs/${jobId}/results`);
    expect(createHash('sha256').update(results.bytes).digest('hex')).toBe(job.artifacts[0].sha256);
    const rows = gunzipSync(results.bytes).toString().trimEnd().split('\r\n').slice(1);
    const paid = rows.filter((row) => row.split(',')[3] === '1');
    expect(paid.map((row) => row.split(',')[1]).toSorted()).toEqual(NAMES.toSorted());
    const others = rows.slice(NAMES.length).map((row) => row.split(',').slice(0, 3).join(','));
    expect(others).toEqual([`62,${NAMES[0]},repeated`, '63,no name,rejected']);
    await customer.waitForCredits(440);
  });

  it('the credits of the job appear in the usage in the API and on the dashboard', async () => {
    const { totals, days } = (
      await customer.api('GET', '/v2.0/account/usage')
    ).json() as UsageAnswer;
    const ofJobs = days.filter(({ operation }) => operation === 'jobs.whois');
    expect(ofJobs.reduce((sum, { credits }) => sum + credits, 0)).toBe(60);
    expect(totals.credits).toBe(60);
    expect((await customer.call('GET', '/usage?by=key')).body).toContain('Bulk jobs');
    const { body: overview } = await customer.call('GET', '/');
    expect(overview).toContain('the work of jobs and monitors (60)');
  });

  it('S77: a deleted account cannot download anything', async () => {
    const deleted = await customer.call('POST', '/api/account/delete', {
      password: customer.password,
    });
    expect(deleted.status).toBe(200);
    await waitFor('the key to end', async () => {
      const { status } = await customer.api('GET', `/v2.0/jobs/${jobId}/results`);
      return status === 401 || status === 403;
    });
    expect(
      (await customer.call('GET', `/api/jobs/${jobId}/results`)).status,
    ).toBeGreaterThanOrEqual(401);
  });
}
