import { afterAll, beforeAll, describe } from '@jest/globals';
import { WebhookReceiver } from '../worker/webhook-receiver.js';
import { bulkJobs } from './bulk-jobs.story.js';
import { type Deployment, openSolo } from './deployment.js';

describe('in one process: many names', () => {
  const receiver = new WebhookReceiver();
  let deployment: Deployment;
  beforeAll(async () => {
    await receiver.start();
    deployment = await openSolo(receiver.environment);
  });
  afterAll(async () => {
    receiver.stop();
    await deployment?.stop();
  });

  bulkJobs(() => deployment, receiver);
});
