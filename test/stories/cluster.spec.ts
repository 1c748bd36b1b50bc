import { afterAll, beforeAll, describe, jest } from '@jest/globals';
import { dashboardInBrowser, hasBrowser } from './browser.story.js';
import { type Deployment, describeOnCluster, openCluster } from './deployment.js';
import { firstLight } from './first-light.story.js';

/** Two cores carry nine processes and this one. */
jest.setTimeout(120_000);

/** The stories of one process, word for word; one cluster for all of them. */
describeOnCluster('a process for each service', () => {
  let deployment: Deployment;
  beforeAll(async () => {
    deployment = await openCluster();
  }, 180_000);
  afterAll(() => deployment?.stop(), 120_000);

  describe('from sign-up to erasure', () => firstLight(() => deployment));

  (hasBrowser ? describe : describe.skip)('the dashboard in a browser', () =>
    dashboardInBrowser(() => deployment),
  );
});
