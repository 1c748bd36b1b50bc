import { afterAll, beforeAll, describe, jest } from '@jest/globals';
import { databaseFiles } from './database-files.story.js';
import { openSoloWithPayments } from './deployment.js';

/** Imports, and files that are made one behind another. */
jest.setTimeout(300_000);

describe('in one process: database files', () => {
  let deployment: Awaited<ReturnType<typeof openSoloWithPayments>>;
  beforeAll(async () => {
    deployment = await openSoloWithPayments();
  });
  afterAll(() => deployment?.stop());

  databaseFiles(() => deployment);
});
