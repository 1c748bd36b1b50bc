import { dashboardCall, idOf } from '../dashboard-call.js';
import { day, oneOf } from '../kinds.js';
import { defineOperation } from '../operation.js';
import { listPages } from '../paging/paged-search.js';
import { onePage } from '../paging/paging-answer.js';
import { INVOICE_STATES, InvoiceAnswer, InvoicesAnswer } from './invoice-answer.js';

const ID = '019a5f00-0000-7000-8000-000000000003';

const ISSUED = {
  id: ID,
  number: 'INV-2026-000042',
  kind: 'invoice',
  corrects: null,
  state: 'paid',
  issued_at: '2026-11-20T10:00:00.000Z',
  items: ['15,000 credits'],
  net_micros: '54000000',
  tax_micros: '0',
  total_micros: '54000000',
  currency: 'USD',
  revision: 1,
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
} satisfies InvoiceAnswer;

export const ARCHIVED_INVOICES_MAX = 500;

const FILTER = {
  from: {
    kind: day(),
    about: 'Only invoices issued on or after this day (UTC)',
    example: '2026-01-01',
  },
  to: {
    kind: day(),
    about: 'Only invoices issued on or before this day (UTC)',
    example: '2026-12-31',
  },
  state: { kind: oneOf(INVOICE_STATES), about: 'Only invoices in this state', example: 'paid' },
} as const;

export const INVOICES = defineOperation({
  ...dashboardCall('billing', 'GET /api/invoices'),
  name: 'invoices.list',
  summary: 'The invoices, credit notes and debit notes of the account, newest first',
  parameters: { ...FILTER, ...listPages(500, 500) },
  answers: [{ type: 'application/json', of: InvoicesAnswer }],
  problems: [],
  examples: [
    {
      title: 'One invoice',
      parameters: {},
      answer: { invoices: [ISSUED], paging: onePage(1, 500) },
    },
  ],
});

export const INVOICE_ARCHIVE = defineOperation({
  ...dashboardCall('billing', 'GET /api/invoices/archive'),
  name: 'invoices.archive',
  summary: 'The PDFs of the matching invoices, as one ZIP file',
  description: `The file contains up to ${ARCHIVED_INVOICES_MAX} invoices; if more match, choose a shorter period. Invoices that are not printed yet or are no longer kept are listed in \`missing.txt\`.`,
  parameters: FILTER,
  answers: [{ type: 'file', mediaTypes: ['application/zip'] }],
  problems: ['invoice_not_printed', 'invoice_data_destroyed'],
  examples: [{ title: 'One year', parameters: { from: '2026-01-01' }, answer: {} }],
});

export const INVOICE_PDF = defineOperation({
  ...dashboardCall('billing', 'GET /api/invoices/{id}/pdf'),
  name: 'invoices.pdf',
  summary: 'The newest revision of an invoice as a PDF',
  parameters: idOf('invoice', ID),
  answers: [{ type: 'file', mediaTypes: ['application/pdf'] }],
  problems: ['not_found', 'invoice_not_printed', 'invoice_data_destroyed'],
  examples: [{ title: 'An invoice', parameters: { id: ID }, answer: {} }],
});

export const INVOICE_REGENERATE = defineOperation({
  ...dashboardCall('billing', 'POST /api/invoices/{id}/regenerate'),
  name: 'invoices.regenerate',
  summary: 'Prints an invoice again, under the same number, with the current billing details',
  description: 'Items and amounts never change. Unchanged billing details create no new revision.',
  parameters: idOf('invoice', ID),
  answers: [{ type: 'application/json', of: InvoiceAnswer }],
  problems: ['not_found', 'too_many_revisions', 'invoice_data_destroyed'],
  examples: [
    { title: 'A second revision', parameters: { id: ID }, answer: { ...ISSUED, revision: 2 } },
  ],
});
