import { expect, it } from '@jest/globals';
import { exportPage } from '../account/account-pages.js';
import { PAGE_SCRIPT } from './page-script.js';

it('the form of a download, whose page stays open, can be sent again', () => {
  const { text } = exportPage({ csrfToken: '', isLoggedIn: true, hasMailbox: false });
  const action = /<form method="post" (action="\/account\/[^"]+")/.exec(text)?.[1];
  expect(PAGE_SCRIPT).toContain(`querySelectorAll('form:not([${action}])')`);
});
