import { DAY_MS } from '#libs/platform';
import type { RevisionRow } from './history.repository.js';

/** Returns past and present revisions of `registered.test`, for test keys. */
export function fixtureRevisions(now: Date): RevisionRow[] {
  return [
    revision('2025-05-10T11:00:00Z', now, {
      update_date: '2025-05-10',
      domain_registrar: { iana_id: '9901', registrar_name: 'Example Registrar One, Inc.' },
      name_servers: ['ns1.dns-one.example', 'ns2.dns-one.example'],
      redaction: [{ path: 'registrant_contact.name', state: 'redacted', basis: 'rfc9537' }],
    }),
    revision('2016-05-10T11:00:00Z', new Date(Date.parse('2025-05-10T11:00:00Z') - DAY_MS), {
      update_date: '2016-05-09',
      domain_registrar: { iana_id: '9902', registrar_name: 'Example Registrar Two Ltd.' },
      registrant_contact: {
        name: 'Alex Sample',
        company: 'Example Holdings',
        country_code: 'US',
        email_address: 'alex.sample@example.com',
      },
      name_servers: ['ns1.dns-two.example', 'ns2.dns-two.example'],
    }),
  ];
}

function revision(at: string, lastAt: Date, members: RevisionRow['record']): RevisionRow {
  const record = {
    create_date: '2001-05-09',
    expiry_date: '2031-05-09',
    ...members,
    domain_status: ['clienttransferprohibited'],
  };
  const observedAt = new Date(at);
  const given = { record, answeredBy: '' };
  return { observedAt, lastAt, isComplete: true, state: at, sourceId: 0, ...given };
}
