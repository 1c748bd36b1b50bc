import { DATASETS } from '../../catalogue/datasets.js';
import { byLiveKey } from '../access.js';
import { day, oneOf } from '../kinds.js';
import { defineOperation } from '../operation.js';
import { listPages } from '../paging/paged-search.js';
import { onePage } from '../paging/paging-answer.js';
import { FILE_FORMATS, FilesAnswer, FilesStatus, type OwnFileEntry } from './file-answer.js';

const NEWLY = {
  dataset: 'newly',
  date: '2026-11-19',
  edition: 1,
  rows: 312_004,
  gained: 312_004,
  lost: 298_551,
  schema_version: 1,
  state: 'published',
  published_at: '2026-11-20T04:02:11.000Z',
  artifacts: [
    {
      format: 'csv.gz',
      bytes: 2_418_220,
      sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    },
  ],
  plan_dataset: 'names',
  is_included: true,
} satisfies OwnFileEntry;
const { is_included: _included, plan_dataset: _held, ...LATEST } = NEWLY;

const BY_KEY = byLiveKey('files', 'account');
const FREE = { per: 'free' } as const;

const CHOSEN = {
  dataset: { kind: oneOf(DATASETS), about: 'Only files of this dataset', example: 'newly' },
  date: { kind: day(), about: 'Only files for this day', example: '2026-11-19' },
  ...listPages(50),
} as const;

const ONE_FILE = {
  dataset: { kind: oneOf(DATASETS), about: 'The dataset', example: 'newly', in: 'path' },
  date: {
    kind: day(),
    about: 'The day (UTC) that the file covers',
    example: '2026-11-19',
    in: 'path',
  },
  format: {
    kind: oneOf(FILE_FORMATS),
    about:
      '`csv.gz` has a header row, `json.gz` one JSON object per line, `zip` the CSV file and a manifest',
    example: 'csv.gz',
    default: 'csv.gz',
  },
} as const;

export const FILES = defineOperation({
  name: 'files.list',
  summary: 'Database files, newest first',
  description:
    'A daily file covers one day (UTC). It is available by 06:00 UTC on the next day, and an updated edition by 18:00. Full downloads are made once a week. Files are kept for 90 days. `is_included` says whether your Domainer plan includes a file.',
  method: 'GET',
  routes: [{ path: '/v2.0/files', version: 2 }],
  access: BY_KEY,
  owner: { service: 'worker', path: '/internal/files' },
  parameters: CHOSEN,
  answers: [{ type: 'application/json', of: FilesAnswer }],
  price: FREE,
  problems: [],
  examples: [
    {
      title: 'One file',
      parameters: { dataset: 'newly' },
      answer: { status: true, files: [NEWLY], paging: onePage(1, 50) },
    },
  ],
});

export const FILE = defineOperation({
  name: 'files.download',
  summary: 'The latest edition of a database file',
  description:
    'Requires a Domainer plan that includes the dataset. CSV cells that a spreadsheet would read as a formula start with an apostrophe.',
  method: 'GET',
  routes: [{ path: '/v2.0/files/{dataset}/{date}', version: 2 }],
  access: BY_KEY,
  owner: { service: 'worker', path: '/internal/files/{dataset}/{date}' },
  parameters: ONE_FILE,
  answers: [{ type: 'file', mediaTypes: ['application/gzip', 'application/zip'] }],
  price: FREE,
  problems: [
    'not_found',
    'downloads_blocked',
    'dataset_not_included',
    'file_withheld',
    'file_expired',
  ],
  examples: [
    { title: 'New names', parameters: { dataset: 'newly', date: '2026-11-19' }, answer: {} },
  ],
});

export const FILES_STATUS = defineOperation({
  name: 'files.status',
  summary: 'How up to date the database files are',
  method: 'GET',
  routes: [{ path: '/v2.0/files/status', version: 2 }],
  access: { kind: 'public' },
  owner: { service: 'worker', path: '/internal/files/status' },
  parameters: {},
  answers: [{ type: 'application/json', of: FilesStatus }],
  price: FREE,
  problems: [],
  examples: [
    {
      title: 'One dataset',
      parameters: {},
      answer: {
        status: true,
        datasets: [
          {
            dataset: 'newly',
            plan_dataset: 'names',
            cadence: 'daily',
            available_from: '2026-08-22',
            latest: LATEST,
          },
        ],
      },
    },
  ],
});

export const FILES_SAMPLE = defineOperation({
  name: 'files.sample',
  summary: 'A sample of up to 10,000 newly registered names, one day later than the full file',
  method: 'GET',
  routes: [{ path: '/v2.0/files/sample', version: 2 }],
  access: { kind: 'public' },
  owner: { service: 'worker', path: '/internal/files/sample' },
  parameters: {},
  answers: [{ type: 'file', mediaTypes: ['application/gzip'] }],
  price: FREE,
  problems: ['not_found', 'file_withheld'],
  examples: [{ title: 'The latest sample', parameters: {}, answer: {} }],
});
