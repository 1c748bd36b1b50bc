import { expect, it } from '@jest/globals';
import { Type } from 'class-transformer';
import { IsInt, Max, Min, ValidateNested } from 'class-validator';
import { checkJsonShape, checkJsonText, faultsOf } from './input.js';

class Capped {
  @IsInt()
  @Min(1)
  @Max(500)
  cap: unknown;
}

class CappedItems {
  @ValidateNested({ each: true })
  @Type(() => Capped)
  items: Capped[];
}

class CappedEach {
  @IsInt({ each: true })
  caps: unknown[];
}

it.each(['abc', 0, 501, 1.5])('the message for %p states all requirements of the number', (cap) => {
  const message = 'must be a whole number from 1 to 500';
  expect(faultsOf(Capped, { cap })).toEqual([{ field: 'cap', message }]);
});

it('the message for a list of numbers says that each value must be a number', () => {
  const [fault] = faultsOf(CappedEach, { caps: ['abc'] });
  expect(fault.message).toBe('each value must be an integer number');
});

it('S94: the values of a body are counted at all depths before it is parsed, whatever its strings contain', () => {
  const body = String.raw`{"li[,{st": [[1, "\"\\,"], {"a": "[,\\"}]}`;
  expect(() => JSON.parse(body) as unknown).not.toThrow();
  expect(() => checkJsonText(body, 7)).not.toThrow();
  expect(() => checkJsonText(body, 6)).toThrow('must not contain more than 6 values');
  expect(() => checkJsonText(`[${'0,'.repeat(5_000)}`)).toThrow('more than 5000 values');
});

it('an object has a limited number of members', () => {
  const members = Array.from({ length: 1_001 }, (_, n) => [`m${n}`, n]);
  expect(() => checkJsonShape([Object.fromEntries(members)])).toThrow('more than 1000 members');
  expect(() => checkJsonShape([Object.fromEntries(members.slice(1))])).not.toThrow();
});

it('S94: of many unknown members or invalid items, only some are reported', () => {
  const members = Array.from({ length: 1_000 }, (_, n) => [`m${n}`, n]);
  expect(faultsOf(Capped, Object.fromEntries(members))).toHaveLength(50);
  const items = members.map(() => ({ cap: 0 }));
  expect(faultsOf(CappedItems, { items })).toHaveLength(50);
});
