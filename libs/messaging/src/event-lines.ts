/**
 * SQL for an account's events in a service, as lines of the timeline: `$1` is the account, `$2` the time before which
 * they happened, `$3` the length of a page. It finds the service's own events of the last few minutes and those that
 * still wait for the broker, and other services' events that could not be applied.
 */
export const EVENT_LINES = `
  (select occurred_at as at, 'event' as kind,
    'announced ' || type || case when sent_at is null then ', not sent yet' else '' end as text, id::text as id
  from outbox where key = $1::uuid::text and occurred_at < $2
  order by occurred_at desc fetch first $3 rows with ties)
  union all
  select date_trunc('milliseconds', failed_at, 'UTC'), 'event',
    concat_ws(' ', type, 'not applied,', state, 'after', attempts, case attempts when 1 then 'try:' else 'tries:' end, reason), event_id
  from failed_event
  where key = $1::uuid::text and state <> 'discarded' and date_trunc('milliseconds', failed_at, 'UTC') < $2`;
