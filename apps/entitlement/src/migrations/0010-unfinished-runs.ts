import { type Migration, unfinishedRunsColumn } from '#libs/database';

export const unfinishedRuns: Migration = {
  name: '0010-unfinished-runs',
  sql: unfinishedRunsColumn,
};
