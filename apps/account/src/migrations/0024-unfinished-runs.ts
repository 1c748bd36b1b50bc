import { type Migration, unfinishedRunsColumn } from '#libs/database';

export const unfinishedRuns: Migration = {
  name: '0024-unfinished-runs',
  sql: unfinishedRunsColumn,
};
