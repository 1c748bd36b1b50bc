import { expect, it } from '@jest/globals';
import { readNames } from './new-names.js';

it('S105: other requests are answered while the names of a request are read', async () => {
  let turns = 0;
  let next: NodeJS.Immediate;
  const count = () => {
    turns += 1;
    next = setImmediate(count);
  };
  count();
  const texts = Array.from({ length: 1_000 }, (_, n) => `ünï-${n}.bücher.example.de`);
  expect(await readNames(texts)).toMatchObject({ lines: 1_000, invalid: 0 });
  clearImmediate(next!);
  expect(turns).toBeGreaterThan(100);
});
