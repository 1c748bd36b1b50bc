import { expect, it } from '@jest/globals';
import { ruleText } from './rule-text.js';

it('a rule is said without the name of its property, whoever worded it', () => {
  expect(ruleText('name', 'name must be a string')).toBe('must be a string');
  expect(ruleText('name', 'must be a text')).toBe('must be a text');
  expect(ruleText('scopes', 'each value in scopes must be one of these')).toBe(
    'each value must be one of these',
  );
  expect(ruleText('foo', 'property foo should not exist')).toBe('is not known here');
});
