/**
 * SQL for the rows of a table whose account is neither deleted nor suspended. Only these accounts get work done and
 * notifications.
 */
export const mayBeTold = (table: string) =>
  `not exists (select from account_states a where a.account_id = ${table}.account_id
    and (a.state <> 'active' or a.is_suspended))`;
