import { IsIn, IsInt, IsISO8601, IsString, IsUUID, Min } from 'class-validator';
import { DATASETS, type Dataset } from '../../catalogue/datasets.js';
import { INVOICE_KINDS, type InvoiceKind } from '../../events/billing/invoice-issued.js';
import { IsCount, Nested, NestedList } from '../../members.js';
import { JOB_KINDS, JOB_STATES, JobCounts, JobCredits } from '../jobs/job-answer.js';
import type { JobKind, JobState } from '../jobs/job-answer.js';
import { MonitorEvent } from '../monitors/monitor-answer.js';
import { MONITOR_KINDS, type MonitorKind } from '../monitors/monitor-words.js';
import type { DataClass } from '../parameter.js';
import { WEBHOOK_TEST_EVENT, type WebhookEvent } from './webhook-answer.js';

export class JobCompletedData {
  @IsUUID()
  id: string;

  @IsIn(JOB_KINDS)
  kind: JobKind;

  @IsIn(JOB_STATES)
  state: JobState;

  @Nested(() => JobCounts)
  counts: JobCounts;

  @Nested(() => JobCredits)
  credits: JobCredits;
}

export class MonitorTriggeredData {
  @IsUUID()
  monitor_id: string;

  @IsIn(MONITOR_KINDS)
  kind: MonitorKind;

  /** The name of the monitor. */
  @IsString()
  name: string;

  @NestedList(() => MonitorEvent)
  events: MonitorEvent[];
}

export class FilePublishedData {
  @IsIn(DATASETS)
  dataset: Dataset;

  /** `YYYY-MM-DD`. */
  @IsString()
  date: string;

  @IsInt()
  @Min(1)
  edition: number;

  @IsCount()
  rows: number;
}

export class CreditsLowData {
  /** 20 if a fifth of the latest grant is left, 0 if no credits are left. */
  @IsInt()
  threshold_percent: number;

  @IsCount()
  remaining: number;
}

export class InvoiceIssuedData {
  @IsUUID()
  id: string;

  @IsIn(INVOICE_KINDS)
  kind: InvoiceKind;

  @IsString()
  number: string;

  @IsInt()
  @Min(1)
  revision: number;
}

export class WebhookTestData {
  @IsUUID()
  webhook_id: string;
}

/** The body of every event, apart from `data`. */
export class WebhookBody {
  @IsString()
  type: string;

  /** When the event was recorded, RFC 3339. */
  @IsISO8601()
  timestamp: string;
}

interface DescribedEvent<Data extends object = object> {
  of: DataClass<Data>;
  /** A phrase that completes "Sent when". */
  when: string;
  example: NoInfer<Data>;
}

const described = <Data extends object>(event: DescribedEvent<Data>) => event;

/** The events that webhooks receive, with the class of their `data`. */
export const WEBHOOK_DATA = {
  'job.completed': described({
    of: JobCompletedData,
    when: 'a bulk job has ended or was cancelled',
    example: {
      id: '019a5f00-0000-7000-8000-000000000011',
      kind: 'whois',
      state: 'completed',
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
    },
  }),
  'monitor.triggered': described({
    of: MonitorTriggeredData,
    when: 'a monitor has found something; an event may contain several findings',
    example: {
      monitor_id: '019a5f00-0000-7000-8000-000000000031',
      kind: 'brand',
      name: 'Our brand',
      events: [
        {
          id: '019a5f00-0000-7000-8000-000000000033',
          monitor_id: '019a5f00-0000-7000-8000-000000000031',
          type: 'brand.match',
          at: '2026-11-21T10:10:00.000Z',
          domain_name: 'examp1e-login.com',
          domain_unicode: 'examp1e-login.com',
          match: { reason: 'looks_alike', value: 'example' },
          state: 'new',
        },
      ],
    },
  }),
  'file.published': described({
    of: FilePublishedData,
    when: 'a database file that your plan includes is published',
    example: { dataset: 'newly', date: '2026-11-19', edition: 1, rows: 312_004 },
  }),
  'credits.low': described({
    of: CreditsLowData,
    when: 'your credits are running out, and again when none are left',
    example: { threshold_percent: 20, remaining: 90 },
  }),
  'invoice.issued': described({
    of: InvoiceIssuedData,
    when: 'an invoice or a note was issued',
    example: {
      id: '019a5f00-0000-7000-8000-000000000041',
      kind: 'invoice',
      number: 'INV-2026-000017',
      revision: 1,
    },
  }),
  [WEBHOOK_TEST_EVENT]: described({
    of: WebhookTestData,
    when: 'you requested a test',
    example: { webhook_id: '019a5f00-0000-7000-8000-000000000021' },
  }),
} satisfies Record<WebhookEvent | typeof WEBHOOK_TEST_EVENT, DescribedEvent>;

/** The `data` of events of this type. */
export type WebhookDataOf<Type extends keyof typeof WEBHOOK_DATA> =
  (typeof WEBHOOK_DATA)[Type]['example'];
