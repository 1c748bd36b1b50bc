import { type Migration, unfinishedRunsColumn } from '#libs/database';

export const unfinishedRuns: Migration = {
  name: '0028-unfinished-runs',
  sql: unfinishedRunsColumn,
};
