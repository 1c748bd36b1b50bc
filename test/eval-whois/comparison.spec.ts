import { describe, expect, it } from '@jest/globals';
import type { RegistrationRecord } from '#libs/resolvers';
import { compareRecord, countsOf, shareOf } from './comparison.js';

const RECORD: RegistrationRecord = {
  created: {
    original: '1999-02-17T00:00:00+13:00',
    iso: '1999-02-16T11:00:00Z',
    precision: 'second',
  },
  nameServers: ['ns1.example.net', 'ns2.example.net'],
  statuses: ['clientTransferProhibited'],
  registrar: { name: 'Sample Registrar' },
  contacts: { registrant: { name: 'Ada Example', street: '1 Sample Street\nFloor 2' } },
  redactions: [],
  privacyService: false,
};

describe('the evaluation of the parser', () => {
  it('dates are compared by day, lists as sets, and text without regard to case or line breaks', () => {
    const findings = compareRecord(
      {
        created: '1999-02-17T00:00:00+13:00',
        nameServers: ['NS2.EXAMPLE.NET', 'ns1.example.net.'],
        statusCodes: ['client transfer prohibited'],
        registrar: { name: 'SAMPLE REGISTRAR (R1-XX)' },
        contacts: { registrant: { name: 'ada example', address: '1 Sample Street, Floor 2' } },
      },
      RECORD,
    );
    expect(findings.map((it) => [it.field, it.isRight])).toEqual([
      ['created', true],
      ['nameServers', true],
      ['statusCodes', true],
      ['registrar', true],
      ['contact.name', true],
      ['contact.address', true],
    ]);
  });

  it('a missing, different or additional value counts as wrong', () => {
    const findings = compareRecord(
      {
        expires: '2027-01-01',
        created: '1999-02-18',
        nameServers: ['ns1.example.net'],
        contacts: { admin: { email: 'ada@example.net' } },
      },
      RECORD,
    );
    expect(findings.map((it) => it.isRight)).toEqual([false, false, false, false]);
  });

  it('a placeholder in an expectation asserts nothing', () => {
    const contacts = { registrant: { name: 'REDACTED FOR PRIVACY', email: '-' } };
    expect(compareRecord({ contacts }, RECORD)).toEqual([]);
  });

  it('a share is calculated from assertions; a contact’s field counts once for itself and once in the total', () => {
    const finding = { field: 'contact.name', expected: '', actual: '' };
    const counts = countsOf([true, true, false].map((isRight) => ({ ...finding, isRight })));
    const of = { right: 2, total: 3 };
    expect(counts).toEqual({ contacts: of, 'contact.name': of });
    expect([shareOf(counts.contacts), shareOf(counts.created)]).toEqual([2 / 3, 1]);
  });
});
