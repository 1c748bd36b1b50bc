import { expect, it } from '@jest/globals';
import { searchedText } from './searched-text.js';

it.each([
  ['  Ada@Example.COM ', 'ada@example.com'],
  ['Ada Lovelace <Ada@example.com>', 'ada@example.com'],
  ['mailto:ada@example.com', 'ada@example.com'],
  ['\u200bada@example.com,', 'ada@example.com'],
  ['"019A5F00-0000-7000-8000-000000000001"', '019a5f00-0000-7000-8000-000000000001'],
  [' inv-2026-000001.', 'INV-2026-000001'],
  ['req_4Fh2aBcD01234000001z ', 'req_4Fh2aBcD01234000001z'],
  ['pi_3QxAbC', 'pi_3QxAbC'],
  ['…aB3d', '…aB3d'],
])('the text %j is searched for as %j', (typed, searched) => {
  expect(searchedText(typed)).toBe(searched);
});
