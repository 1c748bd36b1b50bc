import { describe, expect, it } from '@jest/globals';
import type { Migration } from '#libs/database';
import { stepFaults } from './migration-steps.js';

const isReleased = (table: string) => table === 'orders';
const faultsOf = (sql: string, more: Partial<Migration> = {}) =>
  stepFaults({ name: '0010-next', sql, ...more }, isReleased);

describe('a migration that runs beside services of the last release', () => {
  it.each([
    ['drop table orders', 'removes what it uses'],
    ['alter table orders drop column amount', 'drops a column that it reads'],
    ['alter table orders drop amount', 'drops a column that it reads'],
    ['alter table orders rename column amount to micros', 'renames what it uses'],
    ['ALTER TABLE orders\n  RENAME TO purchases', 'renames what it uses'],
    ['alter table only orders alter column amount type numeric', 'changes what a column holds'],
    ['alter table orders alter amount set not null', 'refuses rows that it writes'],
    ['alter table orders alter amount drop default', 'refuses rows that it writes'],
    [
      'alter table orders add column vat bigint not null',
      'requires a column that it does not write',
    ],
    ['alter table orders add a text, add vat bigint not null', 'requires a column'],
    ['alter table orders add constraint c check (amount > 0)', 'add it not valid'],
    ['create index orders_by_day on orders (day)', 'create it concurrently'],
    ['create unique index orders_by_day on orders (day)', 'create it concurrently'],
    ['revoke insert on orders from billing', 'revokes privileges that it needs'],
    ['create trigger t before insert on orders execute function f()', 'may refuse rows'],
    ['truncate orders', 'empties what it reads'],
    ['select 1; -- drop nothing\n/* one */ drop table orders', 'removes what it uses'],
  ])('is rejected with %s', (sql, why) => {
    expect(faultsOf(sql).join('\n')).toContain(why);
  });

  it.each([
    'create table refunds (id uuid primary key); drop table refunds',
    'create index refunds_by_day on refunds (day)',
    'alter table orders add column vat bigint',
    'alter table orders add column vat bigint not null default 0',
    'alter table orders add column half bigint not null generated always as (amount / 2) stored',
    'alter table orders add constraint c check (amount > 0) not valid',
    'alter table orders drop constraint c',
    'alter table orders alter column amount drop not null',
    'create index concurrently if not exists orders_by_day on orders (day)',
    'create index orders_by_day on only orders (day)',
    'update orders set vat = 0 where vat is null',
    '-- drop table orders\nselect 1',
    'do $$ begin drop table orders; end $$',
  ])('may contain %s', (sql) => {
    expect(faultsOf(sql)).toEqual([]);
  });

  it('may remove objects that the last release no longer uses if it declares `contracts`, but must not block queries', () => {
    const contracts = true as const;
    expect(faultsOf('alter table orders drop column amount', { contracts })).toEqual([]);
    expect(faultsOf('create index i on orders (day)', { contracts })).toHaveLength(1);
  });
});
