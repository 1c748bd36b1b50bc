import { expect, it } from '@jest/globals';
import { IsInt, Max, Min } from 'class-validator';
import { faultsOf } from './input.js';

class Capped {
  @IsInt()
  @Min(1)
  @Max(500)
  cap: unknown;
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
