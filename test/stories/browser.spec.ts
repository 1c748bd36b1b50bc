import { afterAll, beforeAll, describe } from '@jest/globals';
import { dashboardInBrowser, hasBrowser } from './browser.story.js';
import { type Deployment, openSolo } from './deployment.js';

(hasBrowser ? describe : describe.skip)('in one process: the dashboard in a browser', () => {
  let deployment: Deployment;
  beforeAll(async () => {
    deployment = await openSolo();
  });
  afterAll(() => deployment?.stop());

  dashboardInBrowser(() => deployment);
});
