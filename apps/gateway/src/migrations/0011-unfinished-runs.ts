import { type Migration, unfinishedRunsColumn } from '#libs/database';

export const unfinishedRuns: Migration = {
  name: '0011-unfinished-runs',
  sql: unfinishedRunsColumn,
};
