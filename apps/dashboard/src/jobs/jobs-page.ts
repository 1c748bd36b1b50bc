import {
  JOB_NAMES_MAX,
  type JobAnswer,
  type JobsAnswer,
  UPLOAD_CREATE,
  UPLOAD_LINES_MAX,
  type UploadAnswer,
  type UploadState,
  atDashboard,
} from '#libs/contracts';
import { counted, newId } from '#libs/platform';
import { type Markup, html } from '#libs/public-http';
import { grouped, minute } from '../amounts.js';
import { type Notice, type PageContext, form, hidden, page } from '../pages/layout.js';
import { durationWords } from './duration-words.js';
import { type TypedOptions, optionFields } from './job-fields.js';
import { invalidLines } from './job-page.js';
import {
  JOB_STATE_WORDS,
  canBeCancelled,
  isRunning,
  jobTitle,
  unsupportedWords,
} from './job-words.js';
import type { TypedJob } from './price-page.js';

/** The path of uploads by tus, which the page's script uses. */
const UPLOADS_PATH = atDashboard(UPLOAD_CREATE).routes[0].path;

const UPLOAD_STATES: Readonly<Record<UploadState, string>> = {
  receiving: 'being received',
  reading: 'being read',
  ready: 'ready',
  refused: 'rejected',
};

interface Listed {
  jobs?: JobsAnswer;
  uploads?: readonly UploadAnswer[];
  notice?: Notice;
  typed?: TypedJob;
}

export function jobsPage(
  context: PageContext,
  { jobs: list, uploads = [], ...rest }: Listed,
): Markup {
  const { notice, typed } = rest;
  const jobs = list?.jobs ?? [];
  const older = list?.paging.next_cursor ?? null;
  return page(context, {
    title: 'Bulk jobs',
    notice,
    scripts: ['/assets/uploads.js'],
    body: html`<section>
        <h2>Look up many names</h2>
        <p>
          Each unique name that is answered costs one credit. The full price is held first; credits
          for names without an answer are released. You see the price before you start the job.
        </p>
        ${form(context, '/jobs', newJob(typed))}
      </section>
      <section data-upload="${UPLOADS_PATH}" data-lines="${UPLOAD_LINES_MAX}">
        <h2>Upload a file of names</h2>
        <p>
          Up to ${grouped(UPLOAD_LINES_MAX)} names, one per line: text or CSV, plain, gzip or ZIP.
          You see the price and the time before you start the job.
        </p>
        ${form(context, '/uploads', newUpload(), 'multipart/form-data')}
        <p role="status" data-said></p>
        ${
          uploads.length === 0
            ? undefined
            : html`<h3>Your uploads</h3>
                <ul class="rows">
                  ${uploads.map((one) => uploadRow(context, one))}
                </ul>`
        }
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
        ${older === null ? undefined : html`<p><a href="/jobs?cursor=${encodeURIComponent(older)}">Older jobs</a></p>`}
        <p class="quiet">
          Results are kept for 30 days. We send you an e-mail when they are ready.
        </p>
      </section>`,
  });
}

function newJob({ domainNames = '', ...options }: Partial<TypedJob> = {}): Markup {
  return html`<div class="field">
      <label for="domainNames">Domain names</label>
      <textarea id="domainNames" name="domainNames" rows="8" required>${domainNames}</textarea>
      <small>One per line, up to ${grouped(JOB_NAMES_MAX)}.</small>
    </div>
    ${optionFields(options)}
    <button>Show the price</button>`;
}

function newUpload(): Markup {
  return html`${hidden('idempotency_key', newId())}
    <div class="field">
      <label for="file">File</label>
      <input id="file" name="file" type="file" required />
    </div>
    <button>Upload</button>`;
}

interface UploadShown {
  /** The price of a WHOIS job, once the names have been counted. */
  dryRun?: JobAnswer;
  /** What the visitor entered in a form that was rejected. */
  typed?: TypedOptions;
  notice?: Notice;
}

export function uploadPage(
  context: PageContext,
  upload: UploadAnswer,
  { dryRun, typed = {}, notice }: UploadShown = {},
): Markup {
  const { id, state, counts, refusal, invalid_lines: invalid } = upload;
  return page(context, {
    title: upload.file_name ?? 'Upload',
    notice: notice ?? (refusal && { kind: 'fault', text: refusal.detail }),
    body: html`<section>
        ${state === 'ready' || refusal ? undefined : html`<p>${state === 'receiving' ? html`The file has not arrived completely. If you began to send it in this browser and were interrupted, choose it again on the page of <a href="/jobs">jobs</a>.` : 'The names are being read.'} This page reloads itself until the names are counted.</p>`}
        ${
          counts &&
          html`<p>
            ${counted(counts.unique, 'unique name')} in ${counted(counts.lines, 'line')};
            ${grouped(counts.duplicates)} repeated, ${grouped(counts.invalid)} without a domain
            name.
          </p>`
        }
        ${dryRun && order(context, id, { dryRun, typed })}
        <div class="actions">
          ${form(context, `/uploads/${id}/remove`, html`<button class="plain small">Remove the upload</button>`)}
          <a class="button plain small" href="/jobs">All jobs</a>
        </div>
      </section>
      ${invalid.length > 0 && counts ? invalidLines(invalid, counts.invalid) : undefined}`,
  });
}

function order(
  context: PageContext,
  uploadId: string,
  { dryRun, typed }: { dryRun: JobAnswer; typed: TypedOptions },
): Markup {
  const { counts, credits, eta_seconds } = dryRun;
  const { price, shortfall = 0 } = credits;
  // DNS has an answer for every name, so it costs more than WHOIS if some names have no source.
  const ofDns = counts.unsupported > 0 ? ` for WHOIS and ${grouped(counts.unique)} for DNS` : '';
  return html`<p>
      ${unsupportedWords(dryRun)} Up to ${counted(price, 'credit')}${ofDns}; WHOIS takes
      ${durationWords(eta_seconds ?? 0)}; DNS is faster.
      ${shortfall > 0 ? html`<strong>You need ${counted(shortfall, 'more credit')}.</strong> <a href="/credits?amount=${shortfall}">Buy credits</a>` : undefined}
    </p>
    ${form(
      context,
      `/uploads/${uploadId}/job`,
      html`${hidden('idempotency_key', newId())} ${optionFields(typed)}
        <button>Start the job</button>`,
    )}`;
}

function uploadRow(context: PageContext, upload: UploadAnswer): Markup {
  const { id, file_name, state, counts, size_bytes: size, received_bytes: arrived } = upload;
  const name = file_name ?? 'Upload';
  const share = state === 'receiving' && size ? ` (${Math.floor((100 * arrived) / size)} %)` : '';
  return html`<li>
    <div>
      <strong>${name}</strong> ${UPLOAD_STATES[state]}${share}
      ${counts && html`<p class="quiet">${counted(counts.unique, 'unique name')}</p>`}
    </div>
    <div class="actions">
      <a class="button small" href="/uploads/${id}" aria-label="Open the upload ${name}">Open</a>
      ${form(context, `/uploads/${id}/remove`, html`<button class="plain small" aria-label="Remove the upload ${name}">Remove</button>`)}
    </div>
  </li>`;
}

function row(context: PageContext, job: JobAnswer): Markup {
  const { id, state, counts, credits, created_at, artifacts, progress } = job;
  const title = jobTitle(job);
  return html`<li>
    <div>
      <a href="/jobs/${id ?? ''}"><strong>${title}</strong></a> ${JOB_STATE_WORDS[state]}
      <p class="quiet">
        <span>${minute(created_at)}</span> <code>${id ?? ''}</code>
        ${isRunning(job) ? html`<span>${Math.floor(progress * 100)} %</span>` : undefined}
        <span>${grouped(counts.delivered)} answered</span>
        ${counts.failed > 0 ? html`<span>${grouped(counts.failed)} not charged</span>` : undefined}
        <span>${counted(credits.charged, 'credit')}</span>
      </p>
    </div>
    <div class="actions">
      <a class="button small" href="/jobs/${id ?? ''}" aria-label="Open ${title}"
        >${isRunning(job) ? 'Progress' : 'Open'}</a
      >
      ${
        artifacts.length > 0
          ? html`<a
              class="button plain small"
              href="/api/jobs/${id ?? ''}/results"
              aria-label="Download the results of ${title}"
              >Download</a
            >`
          : undefined
      }
      ${canBeCancelled(job) ? form(context, `/jobs/${id ?? ''}/cancel`, html`<button class="plain small">Cancel</button>`) : undefined}
    </div>
  </li>`;
}
