import { afterAll, beforeAll, describe } from '@jest/globals';
import { databaseFiles } from './database-files.story.js';
import { openSoloWithPayments } from './deployment.js';

describe('in one process: database files', () => {
  let deployment: Awaited<ReturnType<typeof openSoloWithPayments>>;
  beforeAll(async () => {
    deployment = await openSoloWithPayments();
  });
  afterAll(() => deployment?.stop());

  databaseFiles(() => deployment);
});
