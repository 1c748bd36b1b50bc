import type { Migration } from '#libs/database';

export const deliveriesOfNames: Migration = {
  name: '0015-deliveries-of-names',
  sql: `create index webhook_deliveries_of_names on webhook_deliveries
    using gin (jsonb_path_query_array(body::jsonb, '$.data.events[*].domain_name'))
    where type = 'monitor.triggered'`,
};
