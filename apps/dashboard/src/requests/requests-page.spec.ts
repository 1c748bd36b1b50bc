import { expect, it } from '@jest/globals';
import { REQUESTS, type RequestsAnswer } from '#libs/contracts';
import { REQUESTS_SCRIPT } from '../assets/requests-script.js';
import { KeyNames } from './request-row.js';
import { requestsPage } from './requests-page.js';

it('rows that the script adds to the request log have the labels of the other rows', () => {
  const context = { csrfToken: '', isLoggedIn: true, hasMailbox: false };
  const { text } = requestsPage(context, {
    filter: { day: '2026-11-20' },
    answer: REQUESTS.examples[0].answer as RequestsAnswer,
    keys: new KeyNames([], 'account'),
    isFirst: true,
  });
  const labels = [...text.matchAll(/data-label="(\w+)"/g)].map(([, label]) => `'${label}'`);
  expect(REQUESTS_SCRIPT).toContain(`const LABELS = [${labels.join(', ')}];`);
});
