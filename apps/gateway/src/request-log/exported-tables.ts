import { type ExportedSchema, WITHHELD_MESSAGING } from '#libs/database';
import { KEY_FIGURES } from './hourly-counts.js';

export const EXPORTED_TABLES: ExportedSchema = {
  tables: [
    {
      table: 'request_hours',
      key: { hour: 'timestamptz', operation: 'text', status: 'smallint' },
      columns: ['account_id', 'hour', 'operation', 'status', 'requests', 'credits'],
    },
    {
      table: 'key_hours',
      key: { hour: 'timestamptz', key_id: 'uuid', operation: 'text' },
      columns: ['account_id', 'hour', 'key_id', 'operation', ...KEY_FIGURES],
    },
    {
      table: 'request_log',
      key: { at: 'timestamptz', request_id: 'text' },
      columns: [
        'at',
        'request_id',
        'account_id',
        'key_id',
        'operation',
        'version',
        'subject',
        'status',
        'outcome',
        'credits',
        'duration_ms',
        'requests',
      ],
      withheld: { written_by: 'a transaction number' },
    },
  ],
  withheld: {
    ...WITHHELD_MESSAGING,
    kept_answers: 'answers kept for 24 hours for repeats; the request log lists the requests',
    counted_requests: "a job's progress",
    counted_key_hours: "a job's progress",
    log_erasures: 'erased accounts',
    log_writers: 'runs of gateways',
  },
};
