import { expect, it } from '@jest/globals';
import { notFoundText } from './command-fault.js';

it('an unknown name of a source is not taken for the id of a customer', () => {
  expect(notFoundText('source')).toContain('no source of this name');
  expect(notFoundText('billing')).toContain('`account find`');
});
