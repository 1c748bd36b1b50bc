import { afterAll, beforeAll, describe } from '@jest/globals';
import { WebhookReceiver } from '../worker/webhook-receiver.js';
import { accountNews } from './account-news.story.js';
import { openSoloWithPayments } from './deployment.js';
import { watchedNames } from './watched-names.story.js';

describe('in one process: an account’s notifications', () => {
  const receiver = new WebhookReceiver();
  let deployment: Awaited<ReturnType<typeof openSoloWithPayments>>;
  beforeAll(async () => {
    await receiver.start();
    deployment = await openSoloWithPayments(receiver.environment);
  });
  afterAll(async () => {
    receiver.stop();
    await deployment?.stop();
  });

  accountNews(() => deployment, receiver);

  watchedNames(() => deployment);
});
