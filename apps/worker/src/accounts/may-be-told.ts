/**
 * Returns the SQL condition for the rows of a table whose accounts are neither deleted nor suspended. Work and
 * notifications are limited to such accounts.
 */
export const mayBeTold = (table: string) =>
  `not exists (select from account_states a where a.account_id = ${table}.account_id
    and (a.state <> 'active' or a.is_suspended))`;
