import type { JobAnswer } from '#libs/contracts';
import { counted, newId } from '#libs/platform';
import { html } from '#libs/public-http';
import { grouped } from '../amounts.js';
import { type Notice, type PageContext, form, hidden, page } from '../pages/layout.js';
import { durationWords } from './duration-words.js';
import type { TypedOptions } from './job-fields.js';
import { invalidLines } from './job-page.js';
import { kindTitle, unsupportedWords } from './job-words.js';

export interface TypedJob extends TypedOptions {
  domainNames: string;
}

/**
 * Returns the page with the price for the typed names and the lines that are left out. Nothing has been started or
 * reserved yet.
 */
export function pricePage(
  context: PageContext,
  typed: TypedJob,
  priced: JobAnswer,
  notice?: Notice,
) {
  const { counts, credits, eta_seconds: eta, invalid_lines: invalid } = priced;
  const { price, shortfall = 0 } = credits;
  const fields = Object.entries(typed).map(([name, text]: [string, string?]) =>
    hidden(name, text ?? ''),
  );
  return page(context, {
    title: `${kindTitle(priced)}: the price`,
    notice,
    body: html`<section>
        <p>
          ${counted(counts.unique, 'unique name')} in ${counted(counts.lines, 'line')};
          ${grouped(counts.duplicates)} repeated, ${grouped(counts.invalid)} without a domain name.
        </p>
        <p>
          ${unsupportedWords(priced)} Up to ${counted(price, 'credit')}. It takes
          ${durationWords(eta ?? 0)}.
          ${shortfall > 0 ? html`<strong>You need ${counted(shortfall, 'more credit')}.</strong> <a href="/credits?amount=${shortfall}">Buy credits</a>` : undefined}
        </p>
        <div class="actions">
          ${form(context, '/jobs', html`${fields}${hidden('step', 'start')}${hidden('idempotency_key', newId())}<button>Start the job</button>`)}
          ${form(context, '/jobs', html`${fields}${hidden('step', 'edit')}<button class="plain small">Change the names</button>`)}
          <a class="button plain small" href="/jobs">All jobs</a>
        </div>
      </section>
      ${invalid.length > 0 ? invalidLines(invalid, counts.invalid) : undefined}`,
  });
}
