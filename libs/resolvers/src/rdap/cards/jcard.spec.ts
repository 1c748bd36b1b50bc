import { describe, expect, it } from '@jest/globals';
import { readJcard } from './jcard.js';

describe('readJcard', () => {
  const read = (...properties: unknown[]) => readJcard(['vcard', properties]).contact;

  it.each<[string, unknown, object]>([
    ['no card', undefined, {}],
    ['a card that is an object', { fn: 'x' }, {}],
    ['a card without its properties', ['vcard'], {}],
    ['properties that are an object', ['vcard', { fn: 'x' }], {}],
    ['a property that is text', ['vcard', ['fn']], {}],
    ['a property cut short', ['vcard', [['fn'], ['fn', {}, 'text']]], {}],
    ['parameters that are null', ['vcard', [['fn', null, 'text', 'A']]], { name: 'A' }],
    ['a name in a list', ['vcard', [['fn', {}, 'text', ['A', 'B']]]], { name: 'A B' }],
    ['upper case', ['vcard', [['FN', {}, 'TEXT', 'A']]], { name: 'A' }],
    ['another first word', ['jcard', [['fn', {}, 'text', 'A']]], { name: 'A' }],
    ['no fn but n', ['vcard', [['n', {}, 'text', ['Doe', 'Jo', '', '']]]], { name: 'Jo Doe' }],
    ['a number as value', ['vcard', [['org', {}, 'text', 42]]], { organization: '42' }],
  ])('never throws, even for %s', (_what, card, contact) => {
    expect(readJcard(card).contact).toEqual(contact);
  });

  it('reads telephone numbers in all their forms', () => {
    expect(read(['tel', {}, 'text', '+1.5550100'])).toEqual({ phone: '+1.5550100' });
    expect(read(['tel', {}, 'uri', ['tel:+1.5550100']])).toEqual({ phone: '+1.5550100' });
    expect(read(['tel', { TYPE: ['work', 'FAX'] }, 'uri', 'TEL:+1.5550111;ext='])).toEqual({
      fax: '+1.5550111',
    });
    expect(read(['tel', {}, 'uri', 'tel:'])).toEqual({});
    const both = ['tel', { type: ['voice', 'fax'] }, 'uri', 'tel:+1.5550122'];
    expect(read(both)).toEqual({ phone: '+1.5550122', fax: '+1.5550122' });
  });

  it('reads an address that is only a label or only text, and skips an empty address if another follows', () => {
    const empty = ['', '', '', '', '', '', ''];
    const label = '1 Example Street\nDelft\nNetherlands';
    expect(read(['adr', { label }, 'text', empty])).toEqual({ street: label });
    expect(read(['adr', {}, 'text', '1 Example Street'])).toEqual({ street: '1 Example Street' });
    const arin = '1 Example Street\nFloor 2\nSpringfield\nIL\n62701\nUnited States';
    expect(read(['adr', { label: arin }, 'text', empty])).toEqual({
      street: '1 Example Street\nFloor 2',
      city: 'Springfield',
      state: 'IL',
      postalCode: '62701',
      countryCode: 'US',
      countryName: 'United States',
    });
    expect(
      read(['adr', {}, 'text', empty], ['adr', {}, 'text', ['', '', '', 'Delft', '', '', 'nl']]),
    ).toEqual({ city: 'Delft', countryCode: 'NL', countryName: 'Netherlands' });
    expect(read(['adr', {}, 'text', ['', '', 'S', 'C', '', '', 'Netherlands']])).toEqual({
      street: 'S',
      city: 'C',
      countryCode: 'NL',
      countryName: 'Netherlands',
    });
    expect(read(['adr', { cc: 'FRA' }, 'text', ['', '', 'S', '', '', '', 'France']])).toEqual({
      street: 'S',
      countryCode: 'FR',
      countryName: 'France',
    });
    expect(read(['adr', { CC: 'nl' }, 'text', ['', '', 'S']])).toEqual({
      street: 'S',
      countryCode: 'NL',
      countryName: 'Netherlands',
    });
  });
});
