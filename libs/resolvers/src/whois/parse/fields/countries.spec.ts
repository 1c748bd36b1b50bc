import { expect, it } from '@jest/globals';
import { readCountry } from './countries.js';

it.each([
  ['France', 'FR'],
  ['RUSSIA', 'RU'],
  ['Serbia', 'RS'],
  ['Burkina Faso', 'BF'],
  ['Bénin', 'BJ'],
  ['Curaçao', 'CW'],
  ['Timor-Leste', 'TL'],
  ['Yemen', 'YE'],
  ['Congo - Kinshasa', 'CD'],
  ['Deutschland', 'DE'],
  ["Cote d'Ivoire", 'CI'],
  ['Saint Kitts and Nevis', 'KN'],
  ['Bosnia & Herzegovina', 'BA'],
  ['Iran, Islamic Republic of', 'IR'],
  ['St. Vincent and the Grenadines', 'VC'],
  ['Virgin Islands, U.S.', 'VI'],
  ['U.S.A.', 'US'],
  ['gb', 'GB'],
  ['NL (Netherlands)', 'NL'],
  ['Atlantis', undefined],
  ['XX', undefined],
])('the country %s has the current code %s', (text, code) => {
  expect(readCountry(text).code).toBe(code);
});

it('a former code stays as it is published', () => {
  expect(readCountry('SU')).toEqual({ code: 'SU', name: 'Russia' });
});
