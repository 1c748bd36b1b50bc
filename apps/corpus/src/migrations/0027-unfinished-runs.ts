import { type Migration, unfinishedRunsColumn } from '#libs/database';

export const unfinishedRuns: Migration = {
  name: '0027-unfinished-runs',
  sql: unfinishedRunsColumn,
};
