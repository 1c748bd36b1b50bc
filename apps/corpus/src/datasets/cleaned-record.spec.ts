import { expect, it } from '@jest/globals';
import { cleanedRecord } from './cleaned-record.js';

it.each([
  ['phone', '+44 (0)20 7946 0000', '+442079460000'],
  ['phone', '0044 20 7946 0000 ext. 9', '+442079460000'],
  ['phone', '020 7946 0000', undefined],
  ['country_code', 'NA', 'NA'],
  ['country_code', 'n/a', undefined],
  ['country_code', 'de', 'DE'],
  ['country_code', 'UK', 'GB'],
  ['country_code', 'XX', undefined],
  ['email_address', 'Ada@Example.COM', 'ada@example.com'],
  ['email_address', 'https://registrar.example/contact', undefined],
])('a cleaned contact: %s %j becomes %j', (member, value, cleaned) => {
  const holder = { name: 'Ada', street: '1 Lane', [member]: value };
  const { registrant_contact } = cleanedRecord({ registrant_contact: holder }) ?? {};
  const { [member]: found } = registrant_contact as Record<string, unknown>;
  expect(found).toBe(cleaned);
});

it('a cleaned contact has the code of a country that is published only by its name', () => {
  const holder = { name: 'Ada', street: '1 Lane', country_name: 'Deutschland' };
  expect(cleanedRecord({ registrant_contact: holder })).toMatchObject({
    registrant_contact: { country_code: 'DE', country_name: 'Deutschland' },
  });
});
