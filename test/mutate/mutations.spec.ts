import { describe, expect, it } from '@jest/globals';
import { AREAS } from './areas.js';
import { compiledBelow, readCompiled } from './compiled.js';
import { EQUAL } from './equal.js';
import { mutationsOf } from './mutations.js';

/** Every mutation of one line of code. */
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

  it('leave reporting code alone', () => {
    expect(changed("logger.warn('late', a > b); crashPoint('here'); import c from 'c';")).toEqual(
      [],
    );
  });

  it('that are listed as equivalent still exist', () => {
    const lines = (path: string) => readCompiled(path).split('\n');
    const gone = EQUAL.filter(({ path, line }) => !lines(path).some((one) => one.trim() === line));
    expect(gone).toEqual([]);
  });

  it('are found in every area', () => {
    for (const { sources, without } of AREAS) {
      const counts = compiledBelow(sources, without).map(
        (path) => mutationsOf(path, readCompiled(path)).length,
      );
      expect(counts.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(100);
    }
  });
});
