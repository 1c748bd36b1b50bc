import type { Migration } from '#libs/database';

const MEMBERS = ['name', 'company', 'country_code', 'email_address', 'phone'];
const PATHS = ['registrant', 'administrative', 'technical', 'billing'].flatMap((contact) =>
  MEMBERS.map((member) => `${contact}_contact.${member}`),
);
const CONTACTS = `'{${PATHS.join(',')}}'::text[]`;

export const monitorFinds: Migration = {
  name: '0012-monitor-finds',
  sql: `
-- How many names a monitor was told on the day of the last one.
create table monitor_finds (
  monitor_id uuid primary key,
  day date not null,
  found integer not null
);
create index monitor_finds_by_day on monitor_finds (day);
-- Values of people are not kept any more; the next check sees them for the first time.
update watched_names set whois = whois - ${CONTACTS}, whois_pending = whois_pending - ${CONTACTS}
  where whois is not null;
update monitor_events e set details = jsonb_set(details, '{changes}', (
    select jsonb_agg(case when c ->> 'path' = any(${CONTACTS})
      then c || jsonb_build_object(
        'before', case when c -> 'before' = '[]' then '[]'::jsonb else '["published"]' end,
        'after', case when c -> 'after' = '[]' then '[]'::jsonb else '["published"]' end)
      else c end order by place)
    from jsonb_array_elements(details -> 'changes') with ordinality as q (c, place)))
  where type = 'domain.changed' and details @? '$.changes[*].path ? (@ like_regex "_contact[.]")';
update monitor_events e set details = jsonb_set(details, '{match,value}',
    to_jsonb(coalesce(m.rule ->> 'owner', m.rule ->> 'email', m.rule ->> 'company')))
  from monitors m where m.id = e.monitor_id and e.type = 'registrant.match';
`,
};
