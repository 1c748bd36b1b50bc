import { afterAll, beforeAll, describe, jest } from '@jest/globals';
import { dashboardInBrowser, hasBrowser } from './browser.story.js';
import { type Deployment, openSolo } from './deployment.js';

/** Every page is examined twice, on machines that do other things too. */
jest.setTimeout(600_000);

(hasBrowser ? describe : describe.skip)('in one process: the dashboard in a browser', () => {
  let deployment: Deployment;
  beforeAll(async () => {
    deployment = await openSolo();
  });
  afterAll(() => deployment?.stop());

  dashboardInBrowser(() => deployment);
});
