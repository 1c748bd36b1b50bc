import { expect, it } from '@jest/globals';
import { IsInt, IsNumber, IsOptional, Max, Min, validateSync } from 'class-validator';
import { numberRule, ruleText } from './rule-text.js';

it('a rule is described without the name of its property, whether class-validator or we worded it', () => {
  expect(ruleText('name', 'name must be a string')).toBe('must be a string');
  expect(ruleText('name', 'must be a text')).toBe('must be a text');
  expect(ruleText('scopes', 'each value in scopes must be one of these')).toBe(
    'each value must be one of these',
  );
  expect(ruleText('foo', 'property foo should not exist')).toBe('is not known here');
});

class Numbers {
  @IsInt()
  @Min(1)
  @Max(64)
  both: unknown;

  @IsInt()
  @Min(0)
  least: unknown;

  @IsNumber()
  @Max(1)
  @IsOptional()
  most: unknown;
}

it('the rules of a number are one sentence, however many of them are violated', () => {
  const saidOf = (values: Partial<Numbers>) =>
    validateSync(Object.assign(new Numbers(), { both: 1, least: 0, most: 0 }, values)).map(
      ({ property, constraints = {} }) => numberRule(Numbers, property, constraints),
    );
  for (const both of [NaN, 0, 65, 1.5]) {
    expect(saidOf({ both })).toEqual(['must be a whole number from 1 to 64']);
  }
  expect(saidOf({ least: -1 })).toEqual(['must be a whole number, 0 or more']);
  expect(saidOf({ most: 2 })).toEqual(['must be a number, 1 or less']);
  expect(numberRule(Numbers, 'both', { matches: 'must be odd' })).toBeUndefined();
});
