const TABLES = `
create table work (
  id uuid primary key,
  queue text not null,
  -- What it is about: named twice, it is done once.
  name text not null,
  payload jsonb not null,
  -- Whose turn it is; the highest id where it is nobody's in particular.
  account_id uuid not null default 'ffffffff-ffff-ffff-ffff-ffffffffffff',
  -- What is cancelled and counted together.
  group_id uuid,
  -- 1: fast, 2: the others.
  lane smallint not null default 2 check (lane in (1, 2)),
  -- What it takes of its account's turn.
  cost integer not null default 1 check (cost > 0),
  done integer not null default 0,
  state text not null check (state in ('ready', 'waiting', 'claimed', 'dead')),
  -- When the wait or the lease ends; of what is ready, when it ended.
  until timestamptz not null,
  -- Rises with each claim.
  epoch bigint not null default 0,
  tries integer not null default 0,
  -- Wanted once more while it was claimed.
  again boolean not null default false,
  -- Cancelled while it was claimed.
  cancelled boolean not null default false,
  reason text,
  added_at timestamptz not null default clock_timestamp(),
  position bigint generated always as identity,
  unique (queue, name)
) with (fillfactor = 70);
create index work_ready on work (queue, lane, account_id, position) where state = 'ready';
create index work_until on work (queue, until) where state in ('waiting', 'claimed');
create index work_of_group on work (group_id) where group_id is not null;
create index work_of_account on work (account_id)
  where account_id <> 'ffffffff-ffff-ffff-ffff-ffffffffffff';

-- Where the round of each queue stands.
create table work_turn (
  queue text primary key,
  -- The account whose turn was the last, by lane.
  last uuid[] not null default array['00000000-0000-0000-0000-000000000000',
    '00000000-0000-0000-0000-000000000000']::uuid[],
  -- Turns of the fast lane since the last one of the other.
  fast_turns integer not null default 0,
  paused_until timestamptz not null default '-infinity'
) with (fillfactor = 50);

-- What is left of an account's turn, or what it has taken beyond it.
create table work_credit (
  queue text not null,
  lane smallint not null,
  account_id uuid not null,
  credit integer not null,
  primary key (queue, lane, account_id)
) with (fillfactor = 50);

`;

/** The functions as the first release has them. `workFunctions` are those that run. */
const FUNCTIONS = `-- What is due: whatever has waited, or was claimed by a process that is gone.
create function wake_work(in_queue text) returns void language sql as $$
  with due as (
    select id, cancelled from work
    where queue = in_queue and state in ('waiting', 'claimed') and until <= clock_timestamp()
    order by until limit 1000 for update skip locked),
  gone as (delete from work using due where work.id = due.id and due.cancelled)
  update work set state = 'ready', again = false from due
  where work.id = due.id and not due.cancelled
$$;

-- Deficit round robin (Shreedhar, Varghese 1995): each account with work that is ready has its turn, which is
-- worth in_quantum; what it takes beyond that, its next turn pays. One claim of a queue at a time.
create function claim_work(in_queue text, in_limit integer, in_quantum integer, in_lease interval)
returns setof work language plpgsql as $$
declare
  turn work_turn;
  on_lane smallint;
  who uuid;
  have integer;
  item record;
  taken integer := 0;
  -- By lane: nothing is left; how much had been taken when the round began anew.
  is_out boolean[] := array[false, false];
  taken_before integer[] := array[-1, -1];
begin
  if not exists (select from work where queue = in_queue and state = 'ready')
    and not exists (select from work where queue = in_queue
      and state in ('waiting', 'claimed') and until <= clock_timestamp()) then
    return;
  end if;
  insert into work_turn (queue) values (in_queue) on conflict do nothing;
  select * into turn from work_turn where queue = in_queue for update;
  if turn.paused_until > clock_timestamp() then
    return;
  end if;
  perform wake_work(in_queue);
  while taken < in_limit and not (is_out[1] and is_out[2]) loop
    -- The fast lane goes first, but for every fifth turn.
    on_lane := case when is_out[2] or (not is_out[1] and turn.fast_turns < 4) then 1 else 2 end;
    select account_id into who from work_credit where queue = in_queue and lane = on_lane
      and account_id = turn.last[on_lane] and credit > 0;
    if who is null then
      select account_id into who from work where queue = in_queue and lane = on_lane
        and state = 'ready' and account_id > turn.last[on_lane] order by account_id limit 1;
    end if;
    if who is null then
      is_out[on_lane] := taken_before[on_lane] = taken;
      taken_before[on_lane] := taken;
      turn.last[on_lane] := '00000000-0000-0000-0000-000000000000';
      delete from work_credit c where queue = in_queue and lane = on_lane and not exists (
        select from work w where w.queue = in_queue and w.lane = on_lane
          and w.account_id = c.account_id and w.state = 'ready');
      continue;
    end if;
    turn.last[on_lane] := who;
    turn.fast_turns := case when on_lane = 1 then turn.fast_turns + 1 else 0 end;
    select coalesce(max(credit), 0) into have from work_credit
      where queue = in_queue and lane = on_lane and account_id = who;
    if have <= 0 then
      have := have + in_quantum;
    end if;
    for item in
      select id, cost from work
      where queue = in_queue and lane = on_lane and account_id = who and state = 'ready'
      order by position limit in_limit - taken for update skip locked
    loop
      return query update work set state = 'claimed', epoch = epoch + 1, tries = tries + 1,
        until = clock_timestamp() + in_lease where id = item.id returning *;
      taken := taken + 1;
      have := have - item.cost;
      exit when have <= 0;
    end loop;
    if have > 0 and taken < in_limit then
      delete from work_credit where queue = in_queue and lane = on_lane and account_id = who;
    else
      insert into work_credit values (in_queue, on_lane, who, have)
      on conflict (queue, lane, account_id) do update set credit = excluded.credit;
    end if;
  end loop;
  update work_turn set last = turn.last, fast_turns = turn.fast_turns where queue = in_queue;
end $$;
`;

/**
 * The SQL of the tables behind `WorkQueue`, the same in every schema with a queue. Each service runs it as a migration
 * of its own, followed by `workFunctions`. All times are by the database's clock, because they have no business
 * meaning.
 */
export const workTable = TABLES + FUNCTIONS;

/**
 * The functions of `workTable`, replaced by ones that find due work by an index: clock_timestamp() is volatile, so
 * each claim read all work of the queue that waits.
 */
export const workFunctions = FUNCTIONS.replaceAll(
  'create function',
  'create or replace function',
).replaceAll('until <= clock_timestamp()', 'until <= statement_timestamp()');

export const WITHHELD_WORK = {
  work: 'ids of work that waits',
  work_turn: 'whose turn it is',
  work_credit: 'counters',
} as const;
