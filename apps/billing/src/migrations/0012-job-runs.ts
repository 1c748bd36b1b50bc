import { type Migration, jobRunColumns } from '#libs/database';

export const jobRuns: Migration = { name: '0012-job-runs', sql: jobRunColumns };
