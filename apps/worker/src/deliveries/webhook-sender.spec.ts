import { afterAll, expect, it } from '@jest/globals';
import { WebhookSender } from './webhook-sender.js';

const sender = new WebhookSender({ webhookExceptions: '', extraCaFile: undefined });
afterAll(() => sender.close());

it('S57: an internal address and a name that does not resolve fail with the same error', async () => {
  const { signal } = new AbortController();
  for (const url of ['https://127.0.0.1/', 'https://nobody.invalid/']) {
    const outcome = await sender.send(url, { headers: {}, body: '{}', signal });
    expect([url, outcome]).toEqual([url, { fault: 'no_public_address' }]);
  }
});
