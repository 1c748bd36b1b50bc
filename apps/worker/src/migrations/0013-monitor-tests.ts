import type { Migration } from '#libs/database';

export const monitorTests: Migration = {
  name: '0013-monitor-tests',
  sql: `create index concurrently if not exists monitor_events_of_tests on monitor_events (at)
    where type = 'monitor.test'`,
  isTransactional: false,
};
