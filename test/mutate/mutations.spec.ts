import { describe, expect, it } from '@jest/globals';
import { mutationsOf } from './mutations.js';
import { AREAS, mutantsOf, specsOf } from './sample.js';

function changed(text: string): string[] {
  return mutationsOf('one.js', text).map(
    ({ start, end, replacement }) => text.slice(0, start) + replacement + text.slice(end),
  );
}

describe('mutations', () => {
  it('change conditions, operators, calls and small numbers, one at a time', () => {
    expect(changed('if (a < b && !c) d.run();')).toEqual([
      'if (!(a < b && !c)) d.run();',
      'if (false) d.run();',
      'if (a <= b && !c) d.run();',
      'if (a < b || !c) d.run();',
      'if (a < b && c) d.run();',
      'if (a < b && !c) ;',
    ]);
    expect(changed('x = Math.min(a, 1) + 60;')).toEqual([
      'x = Math.max(a, 1) + 60;',
      'x = Math.min(a, 2) + 60;',
      'x = Math.min(a, 1) - 60;',
    ]);
    expect(changed('x = a ?? b;')).toEqual(['x = a;']);
    expect(changed('x = a.toString();')).toEqual([]);
  });

  it('change SQL only inside SQL', () => {
    const sql = '`select id from due where at <= now() order by at limit 1 for update skip locked`';
    expect(changed(sql)).toEqual([
      sql.replace('<=', '<'),
      sql.replace('order by at', ''),
      sql.replace(' limit 1', ''),
      sql.replace(' skip locked', ''),
    ]);
    expect(changed('x = "this and that";')).toEqual([]);
  });

  it('do not change code that only reports, or comparisons that differ only at one microsecond', () => {
    expect(changed("logger.warn('late', a > b); crashPoint('here'); import c from 'c';")).toEqual(
      [],
    );
    expect(changed("if (a > b) crashPoint('here');")).toEqual([]);
    expect(changed('x = nowMs > y; z = a ?? null;')).toEqual([]);
  });

  it.each(Object.keys(AREAS))('are found in %s, with specs that should notice', (area) => {
    const mutants = mutantsOf(area);
    expect(mutants.length).toBeGreaterThan(100);
    expect(specsOf(area, mutants[0].path).length).toBeGreaterThan(5);
  });
});
