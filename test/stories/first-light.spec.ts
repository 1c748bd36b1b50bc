import { afterAll, beforeAll, describe } from '@jest/globals';
import { type Deployment, openSolo } from './deployment.js';
import { firstLight } from './first-light.story.js';

describe('in one process: from sign-up to erasure', () => {
  let deployment: Deployment;
  beforeAll(async () => {
    deployment = await openSolo();
  });
  afterAll(() => deployment?.stop());

  firstLight(() => deployment);
});
