import {
  JOB_NAMES_MAX,
  type JobAnswer,
  type JobState,
  UPLOAD_LINES_MAX,
  type UploadAnswer,
} from '#libs/contracts';
import { newId } from '#libs/platform';
import { type Markup, html } from '#libs/public-http';
import { day } from '../amounts.js';
import { type Notice, type PageContext, form, hidden, page } from '../pages/layout.js';
import { selectField } from '../pages/select-field.js';

const INVALID_SHOWN = 20;
const STATES: Readonly<Record<JobState, string>> = {
  validating: 'being checked',
  queued: 'queued',
  running: 'running',
  finalizing: 'being finished',
  completed: 'finished',
  completed_with_errors: 'finished, some names without an answer',
  canceled: 'cancelled',
  failed: 'failed',
  expired: 'expired',
};
const KINDS = [
  ['whois', 'WHOIS'],
  ['dns', 'DNS'],
] as const;
const FORMATS = [
  ['csv.gz', 'CSV'],
  ['json.gz', 'JSON, one object per line'],
] as const;

export function jobsPage(
  context: PageContext,
  jobs: readonly JobAnswer[],
  notice?: Notice,
  typed?: string,
): Markup {
  return page(context, {
    title: 'Bulk jobs',
    notice,
    body: html`<section>
        <h2>Look up many names</h2>
        <p>
          Each unique name that is answered costs one credit. The full price is held first; credits
          for names without an answer are released.
        </p>
        ${form(context, '/jobs', newJob(typed))}
      </section>
      <section>
        <h2>Upload a file of names</h2>
        <p>
          Up to ${UPLOAD_LINES_MAX.toLocaleString('en')} names, one per line: text or CSV, plain,
          gzip or ZIP. You see the price and the time before you start the job.
        </p>
        ${form(context, '/uploads', newUpload(), 'multipart/form-data')}
      </section>
      <section>
        <h2>Your jobs</h2>
        ${
          jobs.length === 0
            ? html`<p>No jobs yet.</p>`
            : html`<ul class="rows">
                ${jobs.map((job) => row(context, job))}
              </ul>`
        }
        <p class="quiet">
          Results are kept for 30 days. We send you an e-mail when they are ready.
        </p>
      </section>`,
  });
}

function newJob(typed = ''): Markup {
  return html`<div class="field">
      <label for="domainNames">Domain names</label>
      <textarea id="domainNames" name="domainNames" rows="8" required>${typed}</textarea>
      <small>One per line, up to ${JOB_NAMES_MAX}.</small>
    </div>
    ${selectField('kind', { label: 'Data', options: KINDS })}
    ${selectField('format', { label: 'File', options: FORMATS })}
    <button>Start the job</button>`;
}

function newUpload(): Markup {
  return html`${hidden('idempotency_key', newId())}
    <div class="field">
      <label for="file">File</label>
      <input id="file" name="file" type="file" required />
    </div>
    <button>Upload</button>`;
}

/** The contents of an upload, and the price of a job with it. */
export function uploadPage(
  context: PageContext,
  upload: UploadAnswer,
  dryRun?: JobAnswer,
  notice?: Notice,
): Markup {
  const { id, state, counts, refusal, invalid_lines: invalid } = upload;
  return page(context, {
    title: upload.file_name ?? 'Upload',
    notice: notice ?? (refusal && { kind: 'fault', text: refusal.detail }),
    body: html`<section>
      ${state === 'ready' || refusal ? undefined : html`<p>The names are being read. Reload this page in a moment.</p>`}
      ${
        counts &&
        html`<p>
          ${counts.unique} unique names in ${counts.lines} lines; ${counts.duplicates} repeated,
          ${counts.invalid} without a name.
        </p>`
      }
      ${
        invalid.length > 0
          ? html`<ul>
              ${invalid.slice(0, INVALID_SHOWN).map(({ line, message }) => html`<li>Line ${line}: ${message}</li>`)}
            </ul>`
          : undefined
      }
      ${dryRun && order(context, id, dryRun)}
      <p><a href="/jobs">All jobs</a></p>
    </section>`,
  });
}

function order(
  context: PageContext,
  uploadId: string,
  { credits, eta_seconds }: JobAnswer,
): Markup {
  const { price, shortfall = 0 } = credits;
  const minutes = Math.ceil((eta_seconds ?? 0) / 60);
  return html`<p>
      Up to ${price} credits; WHOIS takes about ${minutes} minutes, DNS less.
      ${shortfall > 0 ? html`<strong>${shortfall} credits are missing.</strong> <a href="/credits">Buy credits</a>` : undefined}
    </p>
    ${form(
      context,
      `/uploads/${uploadId}/job`,
      html`${selectField('kind', { label: 'Data', options: KINDS })}
        ${selectField('format', { label: 'File', options: FORMATS })}
        <button>Start the job</button>`,
    )}`;
}

function row(context: PageContext, job: JobAnswer): Markup {
  const { id, kind, state, counts, credits, created_at, artifacts, progress } = job;
  const words = kind === 'whois' ? 'WHOIS' : 'DNS';
  const canEnd = state === 'queued' || state === 'running';
  return html`<li>
    <div>
      <strong>${words}, ${counts.unique} names</strong> ${STATES[state]}
      <p class="quiet">
        <span>${day(created_at)}</span> <span>${Math.floor(progress * 100)} %</span>
        <span>${counts.delivered} answered</span> <span>${credits.charged} credits</span>
      </p>
    </div>
    <div class="actions">
      ${
        artifacts.length > 0
          ? html`<a
              class="button small"
              href="/api/jobs/${id ?? ''}/results"
              aria-label="Download the results of ${words}, ${counts.unique} names"
              >Download</a
            >`
          : undefined
      }
      ${canEnd ? form(context, `/jobs/${id ?? ''}/cancel`, html`<button class="plain small">Cancel</button>`) : undefined}
    </div>
  </li>`;
}
