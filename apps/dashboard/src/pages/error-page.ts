import type { Problem } from '#libs/platform';
import { type Markup, html } from '#libs/public-http';
import { page } from './layout.js';

/** Returns the page for a rejection or an error, with its public text, its code and the id of the request (S95). */
export function errorPage(problem: Problem, requestId: string): Markup {
  const title = problem.status === 404 ? 'Nothing here' : 'That did not work';
  return page(undefined, {
    title,
    notice: { kind: 'fault', text: problem.message },
    body: html`<p><a href="/">Back to the start</a></p>
      <p class="quiet">Code ${problem.code}, request ${requestId}.</p>`,
  });
}
