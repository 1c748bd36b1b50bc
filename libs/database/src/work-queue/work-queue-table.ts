/** SQL of the table behind `WorkQueue`, the same in every schema that has one. */
export const workQueueTable = `
create table work_item (
  id uuid primary key,
  queue text not null,
  -- What the work is about: named twice, it is done once.
  name text not null,
  payload jsonb not null,
  state text not null default 'waiting' check (state in ('waiting', 'dead')),
  attempts integer not null default 0,
  reason text,
  -- By the service's clock; a claim is technical and ends by the database's.
  due_at timestamptz not null,
  claim uuid,
  claimed_until timestamptz not null default '-infinity',
  added_at timestamptz not null,
  unique (queue, name)
) with (fillfactor = 70);
create index work_item_due on work_item (queue, due_at) where state = 'waiting';
create index work_item_dead on work_item (queue, id) where state = 'dead';
`;
