import { afterAll, beforeAll, describe, jest } from '@jest/globals';
import { dashboardInBrowser, hasBrowser } from './browser.story.js';
import { type Deployment, openSolo } from './deployment.js';

/** The whole product and a browser start in it. */
jest.setTimeout(300_000);

(hasBrowser ? describe : describe.skip)('in one process: the dashboard in a browser', () => {
  let deployment: Deployment;
  beforeAll(async () => {
    deployment = await openSolo();
  });
  afterAll(() => deployment?.stop());

  dashboardInBrowser(() => deployment);
});
