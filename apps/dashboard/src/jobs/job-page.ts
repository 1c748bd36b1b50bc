import type { InvalidLine, JobAnswer } from '#libs/contracts';
import { counted } from '#libs/platform';
import { type Markup, html } from '#libs/public-http';
import { grouped, minute } from '../amounts.js';
import { type Notice, type PageContext, form, page } from '../pages/layout.js';
import { durationWords } from './duration-words.js';
import { JOB_STATE_WORDS, canBeCancelled, isRunning, jobTitle } from './job-words.js';

const INVALID_SHOWN = 20;
export const RELOAD_SECONDS = 5;

const WAITING = [
  ['Arrived, not recorded yet', 'arrived'],
  ['Still to be looked up', 'waiting'],
] as const;

interface Shown {
  /** Whether the page reloads itself until the job has ended. */
  isReloading: boolean;
  notice?: Notice;
}

export function jobPage(
  context: PageContext,
  job: JobAnswer,
  { isReloading, notice }: Shown,
): Markup {
  const { counts, credits, state, invalid_lines: invalid } = job;
  const at = `/jobs/${job.id}`;
  const facts: readonly (readonly [string, string | Markup])[] = [
    ['Answered', grouped(counts.delivered)],
    ['Not charged', grouped(counts.failed)],
    ...(isRunning(job) ? WAITING.map(([name, of]) => [name, grouped(counts[of])] as const) : []),
    ['Lines that repeat a name', grouped(counts.duplicates)],
    ['Lines without a domain name', grouped(counts.invalid)],
    ...(counts.unsupported > 0
      ? [['Names without a known source', `${grouped(counts.unsupported)}, free`] as const]
      : []),
    ['Credits', creditWords(credits)],
    ['Started', minute(job.created_at)],
    ...(job.finished_at ? [['Ended', minute(job.finished_at)] as const] : []),
  ];
  return page(context, {
    title: jobTitle(job),
    notice,
    body: html`<section>
        <p>
          <strong>${JOB_STATE_WORDS[state]}</strong
          >${isRunning(job) ? html`: ${progress(job)}` : undefined}
        </p>
        ${isRunning(job) ? reloading(at, isReloading) : undefined}
        <dl class="facts">
          ${facts.map(
            ([name, value]) =>
              html`<div>
                <dt>${name}</dt>
                <dd>${value}</dd>
              </div>`,
          )}
        </dl>
        <div class="actions">
          ${canBeCancelled(job) ? form(context, `${at}/cancel`, html`<button class="plain small">Cancel the job</button>`) : undefined}
          <a class="button plain small" href="/jobs">All jobs</a>
        </div>
      </section>
      ${isRunning(job) ? undefined : results(job)}
      ${invalid.length > 0 ? invalidLines(invalid, counts.invalid) : undefined}`,
  });
}

function progress({ counts, progress: share, eta_seconds: eta }: JobAnswer): Markup {
  const done = counts.delivered + counts.failed + counts.arrived;
  const percent = Math.floor(share * 100);
  const left = eta === null ? '' : `, ${durationWords(eta)} left`;
  const text = `${grouped(done)} of ${counted(counts.unique, 'name')} (${percent} %)${left}`;
  return html`${text}
    <progress aria-label="Names that are done" max="${counts.unique}" value="${done}"></progress>`;
}

const reloading = (at: string, isReloading: boolean) =>
  html`<p class="quiet">
    ${
      isReloading
        ? html`This page reloads itself every ${RELOAD_SECONDS} seconds until the job has ended.
            <a href="${at}?reload=off">Stop reloading</a>`
        : html`<a href="${at}">Reload automatically</a>`
    }
  </p>`;

function creditWords({ price, held, charged, released }: JobAnswer['credits']): string {
  const parts = [`${grouped(charged)} charged`];
  if (held > 0) parts.push(`${grouped(held)} held`);
  if (released > 0) parts.push(`${grouped(released)} released`);
  return `${parts.join(', ')}, of ${grouped(price)}`;
}

const NO_RESULTS: Partial<Record<JobAnswer['state'], string>> = {
  expired: 'They were deleted after 30 days.',
  failed: 'The job could not be completed, so there are none.',
};

function results(job: JobAnswer): Markup {
  const { id, format, artifacts, expires_at, state, counts } = job;
  const [file] = artifacts;
  if (!file) {
    return html`<section>
      <h2>Results</h2>
      <p>${NO_RESULTS[state] ?? 'The job ended before a name was answered.'}</p>
    </section>`;
  }
  return html`<section>
    <h2>Results</h2>
    <p>
      <a class="button small" href="/api/jobs/${id ?? ''}/results">Download ${file.name}</a>
      ${counted(file.rows, 'row')}, ${counted(file.bytes, 'byte')}; kept until
      ${expires_at === null ? undefined : minute(expires_at)}
    </p>
    <p class="quiet">SHA-256 <code>${file.sha256}</code></p>
    <p>
      Each line that you gave has one row, with its number in
      <code>line</code
      >${state === 'canceled' ? ', except names that were not looked up before the job was cancelled' : ''}.
      Lines that repeat a name (<code>repeated</code>) or contain none (<code>rejected</code>) are
      at the end, with the reason in
      <code>${format === 'csv.gz' ? 'error_detail' : 'problem.detail'}</code>. Rows are in the order
      of the answers: sort them by <code>line</code> to restore yours.
    </p>
    ${counts.failed > 0 ? unanswered(counts.failed) : undefined}
    ${format === 'csv.gz' ? APOSTROPHES : undefined}
  </section>`;
}

const unanswered = (count: number) =>
  html`<p>
    ${counted(count, 'name')} not charged: ${count === 1 ? 'its row has' : 'their rows have'} 0 in
    <code>credits</code>, and <code>outcome</code>, <code>error</code> and <code>error_detail</code>
    say why.
  </p>`;

const APOSTROPHES = html`<p>
  In CSV, a value that begins with <code>=</code>, <code>+</code>, <code>-</code> or <code>@</code>,
  such as a telephone number, has an apostrophe before it, so that no spreadsheet runs it as a
  formula. JSON contains all values unchanged.
</p>`;

/** @param count the number of all such lines; only the first ones are listed. */
export function invalidLines(invalid: readonly InvalidLine[], count: number): Markup {
  const shown = invalid.slice(0, INVALID_SHOWN);
  return html`<section>
    <h2>Lines without a domain name</h2>
    <ul>
      ${shown.map(({ line, message }) => html`<li>Line ${line}: ${message}</li>`)}
    </ul>
    ${count > shown.length ? html`<p>And ${grouped(count - shown.length)} more.</p>` : undefined}
  </section>`;
}
