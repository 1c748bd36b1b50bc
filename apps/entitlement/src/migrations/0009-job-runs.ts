import { type Migration, jobRunColumns } from '#libs/database';

export const jobRuns: Migration = { name: '0009-job-runs', sql: jobRunColumns };
