import { byLiveKey } from '../access.js';
import { boolean, idOf } from '../kinds.js';
import type { NameRecordType } from '../dns/dns-answer.js';
import { defineOperation } from '../operation.js';
import { listPages } from '../paging/paged-search.js';
import { onePage } from '../paging/paging-answer.js';
import { DnsJobRequest, JOB_NAMES_MAX, JobAnswer, JobRequest, JobsAnswer } from './job-answer.js';

/** The maximum size of a body, which is enough for 1,000 names of 253 characters; no service reads more JSON. */
const JOB_BODY_BYTES = 256 * 1024;
/** The time limit for reserving credits, some of which may have to be returned from leases first. */
const HOLD_TIMEOUT_MS = 75_000;

const ID = '019a5f00-0000-7000-8000-000000000011';

const DONE = {
  status: true,
  id: ID,
  kind: 'whois',
  state: 'completed',
  format: 'csv.gz',
  counts: {
    lines: 3,
    unique: 2,
    invalid: 0,
    duplicates: 1,
    unsupported: 0,
    delivered: 2,
    failed: 0,
    arrived: 0,
    waiting: 0,
  },
  credits: { price: 2, held: 0, charged: 2, released: 0 },
  progress: 1,
  eta_seconds: null,
  created_at: '2026-11-20T10:00:00.000Z',
  deadline_at: '2026-11-27T10:00:00.000Z',
  finished_at: '2026-11-20T10:00:04.000Z',
  expires_at: '2026-12-20T10:00:04.000Z',
  invalid_lines: [],
  artifacts: [
    {
      name: 'results.csv.gz',
      bytes: 812,
      rows: 3,
      sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    },
  ],
} satisfies JobAnswer;

const QUEUED = {
  ...DONE,
  state: 'queued',
  counts: { ...DONE.counts, delivered: 0, waiting: 2 },
  credits: { price: 2, held: 2, charged: 0, released: 0 },
  progress: 0,
  eta_seconds: 1,
  finished_at: null,
  expires_at: null,
  artifacts: [],
} satisfies JobAnswer;

const NAMES = { domainNames: ['example.com', 'example.org', 'EXAMPLE.com'] };

const PRICE = 'Each unique name that is answered costs one credit.';

const REGISTRABLE =
  'Host names and URLs are looked up as their registrable names: `www.example.com` as `example.com`.';

const UNSUPPORTED =
  'Names under a top-level domain without a known source of registration data are free; `counts.unsupported` is their number.';

const COURSE =
  'The full price is reserved when the job starts, so the account must have that many credits; credits for names without an answer are released. `dry_run=true` starts no job: the answer has status 200 and contains the counts, the price, the credits that the account lacks, and how long the names of each top-level domain take. An e-mail says when the results are ready; they are kept for 30 days.';

const ONE_JOB = {
  id: {
    kind: idOf('a job'),
    about: 'Id of the job',
    example: ID,
    in: 'path',
  },
} as const;

const DRY_RUN = {
  dry_run: {
    kind: boolean(),
    about: 'Only counts the names and returns the price; starts no job',
    example: 'true',
    default: false,
  },
} as const;

const OF_NEW_JOBS = [
  'insufficient_credits',
  'credits_busy',
  'no_valid_names',
  'not_found',
  'upload_not_ready',
  'upload_refused',
  'too_many_jobs',
] as const;

const WORKER = (path: string) => ({ service: 'worker', path: `/internal/jobs${path}` }) as const;
const FREE = { per: 'free' } as const;

export const JOB_WHOIS = defineOperation({
  name: 'jobs.whois',
  summary: 'Starts a job that looks up the registration data of many names',
  description: `${REGISTRABLE} ${PRICE} ${UNSUPPORTED} ${COURSE}`,
  method: 'POST',
  routes: [{ path: '/v2.0/jobs/whois', version: 2 }],
  access: byLiveKey('jobs', 'bulk'),
  owner: WORKER('/whois'),
  parameters: DRY_RUN,
  body: {
    of: JobRequest,
    limitBytes: JOB_BODY_BYTES,
    itemsMax: JOB_NAMES_MAX,
    example: NAMES,
  },
  takesIdempotencyKey: true,
  answers: [{ type: 'application/json', of: JobAnswer, status: 202 }],
  price: { per: 'free', later: '1 credit per answered name, charged as the job runs.' },
  limits: { timeoutMs: HOLD_TIMEOUT_MS },
  problems: OF_NEW_JOBS,
  examples: [{ title: 'Two names', parameters: {}, body: NAMES, answer: QUEUED }],
});

export const JOB_DNS = defineOperation({
  ...JOB_WHOIS,
  name: 'jobs.dns',
  subject: undefined,
  summary: 'Starts a job that looks up the DNS records of many names',
  description: `${REGISTRABLE} For the records of host names, use \`POST /v2.0/dns/bulk/live\`. ${PRICE} ${COURSE}`,
  routes: [{ path: '/v2.0/jobs/dns', version: 2 }],
  owner: WORKER('/dns'),
  parameters: DRY_RUN,
  body: {
    of: DnsJobRequest,
    limitBytes: JOB_BODY_BYTES,
    itemsMax: JOB_NAMES_MAX,
    example: { ...NAMES, types: ['A', 'MX'] satisfies NameRecordType[] },
  },
  examples: [
    { title: 'Two names', parameters: {}, body: NAMES, answer: { ...QUEUED, kind: 'dns' } },
  ],
});

export const JOBS = defineOperation({
  name: 'jobs.list',
  summary: 'The jobs of the account, newest first',
  method: 'GET',
  routes: [{ path: '/v2.0/jobs', version: 2 }],
  access: byLiveKey('jobs', 'account'),
  owner: WORKER(''),
  parameters: listPages(50),
  answers: [{ type: 'application/json', of: JobsAnswer }],
  price: FREE,
  problems: [],
  examples: [
    {
      title: 'One job',
      parameters: {},
      answer: { status: true, jobs: [DONE], paging: onePage(1, 50) },
    },
  ],
});

export const JOB = defineOperation({
  name: 'jobs.get',
  summary: 'The state and progress of a job',
  method: 'GET',
  routes: [{ path: '/v2.0/jobs/{id}', version: 2 }],
  access: byLiveKey('jobs', 'account'),
  owner: WORKER('/{id}'),
  parameters: ONE_JOB,
  answers: [{ type: 'application/json', of: JobAnswer }],
  price: FREE,
  problems: ['not_found'],
  examples: [{ title: 'A finished job', parameters: { id: ID }, answer: DONE }],
});

export const JOB_CANCEL = defineOperation({
  name: 'jobs.cancel',
  summary: 'Cancels a job',
  description:
    'Names answered before the cancellation are charged, and their results can be downloaded. The remaining credits are released.',
  method: 'POST',
  routes: [{ path: '/v2.0/jobs/{id}/cancel', version: 2 }],
  access: byLiveKey('jobs', 'account'),
  owner: WORKER('/{id}/cancel'),
  parameters: ONE_JOB,
  takesIdempotencyKey: true,
  answers: [{ type: 'application/json', of: JobAnswer, status: 202 }],
  price: FREE,
  problems: ['not_found', 'job_over'],
  examples: [
    {
      title: 'A running job',
      parameters: { id: ID },
      answer: { ...QUEUED, state: 'finalizing' },
    },
  ],
});

export const JOB_RESULTS = defineOperation({
  name: 'jobs.results',
  summary: 'The results of a job as one file',
  description:
    "A gzip file in the format chosen when the job was created: CSV with a header row, or one JSON object per line, with `line`, `domain_name`, `outcome`, `credits`, `observed_at`, and `answer` (the members of a single answer), `problem` (`code` and `detail`) or both. The file consists of several gzip members (RFC 1952). `gunzip` and most libraries read all of them, but some functions, such as `gzdecode` in PHP, read only the first. Each line of the input that is not blank has one row, with its number in `line`. In the results of a cancelled job, names that were not looked up before the cancellation have no row; if no name was answered before it, there is no file. A name's answer is at the line in which it first appeared. Lines that repeat a name (outcome `repeated`, with the line of the answer) and lines without a domain name (outcome `rejected`, with the reason) follow at the end, in the order of their lines, and are free; the reason is in `error_detail` in CSV, and in `problem.detail` in JSON. Answers are written as they arrive, in groups of up to 1,000 names (in a WHOIS job, of one registry), so the rows are not in the order of the input: sort them by `line` to restore it. `outcome` `unanswered` means that the job ended before the name was looked up. In CSV, a value that a spreadsheet would run as a formula, because it begins with `=`, `+`, `-` or `@` (telephone numbers do), has an apostrophe before it; several values of one cell are separated by `|`. JSON contains all values unchanged.",
  method: 'GET',
  routes: [{ path: '/v2.0/jobs/{id}/results', version: 2 }],
  access: byLiveKey('jobs', 'account'),
  owner: WORKER('/{id}/results'),
  parameters: ONE_JOB,
  answers: [{ type: 'file', mediaTypes: ['application/gzip'] }],
  price: FREE,
  problems: ['not_found', 'job_not_ready', 'job_expired'],
  examples: [{ title: 'A finished job', parameters: { id: ID }, answer: {} }],
});
