import { describe, expect, it } from '@jest/globals';
import { isId, newId, nextId } from './ids.js';

describe('ids', () => {
  it('the ids of one process sort by creation, however many are made in one millisecond', () => {
    const ids = Array.from({ length: 50_000 }, newId);
    expect(ids.every(isId)).toBe(true);
    expect(ids.filter((id, at) => at > 0 && id <= ids[at - 1])).toEqual([]);
  });

  it('an id is a UUID of version 7 with its creation time', () => {
    const before = Date.now();
    const id = newId();
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const ms = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
    expect(Math.abs(ms - before)).toBeLessThan(60_000);
  });

  it('the next id is greater than an id that another process created slightly ahead of this clock', () => {
    const ahead = 'ffffffff-0000-7fff-bfff-ffffffffffff';
    expect(nextId(ahead) > ahead).toBe(true);
    expect(nextId(undefined) > newId()).toBe(false);
  });
});
