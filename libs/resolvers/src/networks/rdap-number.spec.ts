import { expect, it } from '@jest/globals';
import { readNumberAnswer } from './number-reading.js';

const LABEL = '1 Example Street\nFloor 2\nSpringfield\nIL\n62701\nUnited States';
const HOLDER = {
  handle: 'EXAMP-1',
  roles: ['registrant'],
  vcardArray: [
    'vcard',
    [
      ['fn', {}, 'text', 'Example Networks'],
      ['adr', { label: LABEL }, 'text', ['', '', '', '', '', '', '']],
    ],
  ],
};
const NETWORK = {
  objectClassName: 'ip network',
  startAddress: '8.8.8.0',
  endAddress: '8.8.8.255',
  entities: [{ ...HOLDER, handle: 'EXAMP-2', roles: ['technical'] }, HOLDER],
};

it.each([
  [{}, 'US'],
  [{ country: 'nl' }, 'NL'],
  [{ entities: [] }, undefined],
])('a block with %j has the country that its registry or its holder states: %s', (part, code) => {
  const text = JSON.stringify({ ...NETWORK, ...part });
  const asked = ['8.8.8.8', '8.8.8.8'] as const;
  const { block } = readNumberAnswer(text, { form: 'ip network', asked });
  expect(block).toMatchObject({ start: '8.8.8.0' });
  expect(block?.countryCode).toBe(code);
});

it.each([
  [{ type: 'email' }, { type: 'abuse' }, ['abuse@x.example']],
  [{}, { pref: '1' }, ['abuse@x.example']],
  [{}, {}, ['desk@x.example', 'abuse@x.example']],
])('of an abuse contact with the addresses %j and %j, %j count', (first, second, emails) => {
  const card = [
    ['email', first, 'text', 'desk@x.example'],
    ['email', second, 'text', 'abuse@x.example'],
  ];
  const desk = { handle: 'DESK', roles: ['abuse'], vcardArray: ['vcard', card] };
  const text = JSON.stringify({ ...NETWORK, entities: [{ ...HOLDER, entities: [desk] }] });
  const asked = ['8.8.8.8', '8.8.8.8'] as const;
  const { block } = readNumberAnswer(text, { form: 'ip network', asked });
  expect(block?.abuseContacts.map(({ email }) => email)).toEqual(emails);
  expect(block?.contacts[1]?.emails).toEqual(['desk@x.example', 'abuse@x.example']);
});
