/**
 * The SQL of the functions that roll a schema's partitions, each of a month or a day. `partitioned_table` lists the
 * tables; a migration that creates a partitioned table ends with `select add_partitioned_table(…)`, and
 * `RollPartitionsJob` calls the functions. The functions belong to the owner, because a service may not change the
 * schema.
 *
 * A table is partitioned by an id (UUIDv7, RFC 9562: its first 48 bits are milliseconds), so that an id is unique
 * across partitions, or by a time. There are partitions from the previous period to two periods ahead. Nothing may
 * bypass the parent for reading or writing, because its triggers would not fire.
 */
export const rollingPartitions = `
create table partitioned_table (
  name text primary key,
  is_by_id boolean not null,
  kept_for interval not null,
  fillfactor integer not null,
  is_daily boolean not null
);
create table detached_partition (name text primary key);

-- The least UUIDv7 of a moment.
create function least_id(moment timestamptz) returns uuid language sql immutable parallel safe
return (
  left(lpad(to_hex(greatest(0, extract(epoch from moment) * 1000)::bigint), 12, '0'), 8) || '-'
  || right(lpad(to_hex(greatest(0, extract(epoch from moment) * 1000)::bigint), 12, '0'), 4)
  || '-0000-0000-000000000000')::uuid;

create function partition_bound(is_by_id boolean, start timestamp) returns text language sql stable
return case when is_by_id then least_id(start at time zone 'UTC')::text
  else (start at time zone 'UTC')::text end;

create function partition_step(is_daily boolean) returns interval language sql immutable
return case when is_daily then interval '1 day' else interval '1 month' end;

create function partition_format(is_daily boolean) returns text language sql immutable
return case when is_daily then 'YYYYMMDD' else 'YYYYMM' end;

create function roll_partitions(today timestamptz) returns void
language plpgsql security definer as $$
declare
  parent record;
  start timestamp;
  part text;
begin
  perform pg_advisory_xact_lock(hashtext(current_schema() || '.partitions'));
  for parent in
    select t.*, partition_step(is_daily) as step, date_trunc(
      case when is_daily then 'day' else 'month' end, today at time zone 'UTC') as current
    from partitioned_table t order by name
  loop
    for start in
      select generate_series(parent.current - parent.step, parent.current + 2 * parent.step, parent.step)
    loop
      part := parent.name || '_' || to_char(start, partition_format(parent.is_daily));
      if to_regclass(part) is null then
        -- Made apart and attached: \`partition of\` would lock the parent against every request.
        execute format('create table %I (like %I including all) with (fillfactor = %s)',
          part, parent.name, parent.fillfactor);
        execute format('alter table %I attach partition %I for values from (%L) to (%L)',
          parent.name, part, partition_bound(parent.is_by_id, start),
          partition_bound(parent.is_by_id, start + parent.step));
        execute (select coalesce(string_agg(distinct format('revoke all on %I from %s',
            part, grantee::regrole), ';'), 'select')
          from pg_class, aclexplode(relacl)
          where oid = to_regclass(part) and grantee <> relowner and grantee <> 0);
      end if;
    end loop;
  end loop;
end $$;

-- Takes at most one partition that is past its time off its parent; the parent is locked for a moment.
-- True when it did. A table with a statement in the way is left for the next time: nobody may queue behind it.
create function detach_old_partition(today timestamptz) returns boolean
language plpgsql security definer set lock_timeout = '30ms' as $$
declare
  old record;
begin
  perform pg_advisory_xact_lock(hashtext(current_schema() || '.partitions'));
  for old in
    select min(c.relname) as name, t.name as parent
    from partitioned_table t
    join pg_inherits i on i.inhparent = to_regclass(t.name)
    join pg_class c on c.oid = i.inhrelid
    where to_date(right(c.relname, length(partition_format(is_daily))), partition_format(is_daily))
      + partition_step(is_daily) <= (today at time zone 'UTC') - t.kept_for
    group by t.name order by t.name
  loop
    begin
      execute format('alter table %I detach partition %I', old.parent, old.name);
      insert into detached_partition values (old.name) on conflict do nothing;
      return true;
    exception when lock_not_available then null;
    end;
  end loop;
  return false;
end $$;

create function drop_detached_partitions() returns void
language plpgsql security definer as $$
declare
  gone text;
begin
  for gone in delete from detached_partition returning name loop
    execute format('drop table if exists %I', gone);
  end loop;
end $$;

create function add_partitioned_table(name text, is_by_id boolean, kept_for interval,
  fillfactor integer default 100, is_daily boolean default false) returns void
language plpgsql as $$
begin
  insert into partitioned_table values (name, is_by_id, kept_for, fillfactor, is_daily);
  perform roll_partitions(clock_timestamp());
end $$;

do $$ begin
  execute format('alter function roll_partitions(timestamptz) set search_path = %I, pg_temp', current_schema());
  execute format('alter function detach_old_partition(timestamptz) set search_path = %I, pg_temp', current_schema());
  execute format('alter function drop_detached_partitions() set search_path = %I, pg_temp', current_schema());
  revoke all on function roll_partitions(timestamptz), detach_old_partition(timestamptz),
    drop_detached_partitions(), add_partitioned_table(text, boolean, interval, integer, boolean) from public;
  execute format('grant execute on function roll_partitions(timestamptz), detach_old_partition(timestamptz), '
    || 'drop_detached_partitions() to %I', current_schema() || '_maintenance');
  execute format('revoke insert, update, delete on partitioned_table, detached_partition from %I, %I',
    current_schema(), current_schema() || '_maintenance');
end $$;
`;
