import { expect, it } from '@jest/globals';
import { readRdapDomain } from '../rdap-record.js';

const domain = 'a.example';

it('reads a contact from a JSContact card', () => {
  const card = {
    '@type': 'Card',
    name: { components: [{ kind: 'given', value: 'Erika' }, { value: 'Example' }] },
    organizations: { o1: { name: 'Example Holdings' } },
    emails: { e1: { address: 'erika@holdings.example' } },
    phones: {
      p1: { number: 'tel:+49.305550111', features: { fax: true } },
      p2: { number: 'tel:+49.305550100', features: { voice: true } },
    },
    addresses: {
      a1: {
        countryCode: 'de',
        components: [
          { kind: 'name', value: 'Example Street' },
          { kind: 'number', value: '1' },
          { kind: 'locality', value: 'Berlin' },
          { kind: 'postcode', value: '10115' },
        ],
      },
    },
  };
  const entities = [{ roles: ['registrant'], jscontact_card: card }];
  expect(readRdapDomain({ ldhName: domain, entities }, domain)?.contacts.registrant).toEqual({
    name: 'Erika Example',
    organization: 'Example Holdings',
    street: 'Example Street 1',
    city: 'Berlin',
    postalCode: '10115',
    countryCode: 'DE',
    countryName: 'Germany',
    email: 'erika@holdings.example',
    phone: '+49.305550100',
    fax: '+49.305550111',
  });
});
