import { type Migration, unfinishedRunsColumn } from '#libs/database';

export const unfinishedRuns: Migration = {
  name: '0025-unfinished-runs',
  sql: unfinishedRunsColumn,
};
