import { describe, expect, it, jest } from '@jest/globals';
import { Turns } from '#libs/platform';
import { changesByRecord } from './record-changes.js';
import { registrationOf } from './registration.js';

describe('records', () => {
  const recordsOf = (length: number) =>
    Array.from({ length }, (_, place) => ({
      answeredBy: '',
      record: { domain_status: [String(place)] },
    }));

  it('S102: the records of many names are compared in several turns of the event loop', async () => {
    let turns = 0;
    const count = () => void turns++;
    for (let name = 0; name < 20; name++) {
      setImmediate(count);
      await changesByRecord(recordsOf(10));
    }
    expect(turns).toBeGreaterThan(10);
  });

  it('S102: many records of one name are compared in several turns of the event loop', async () => {
    const spend = jest.spyOn(Turns.prototype, 'spend');
    const records = recordsOf(100);
    const changes = await changesByRecord(records);
    expect(changes.flat()).toHaveLength(99);
    expect(spend).toHaveBeenCalledTimes(100);
    spend.mockRestore();
  });

  it('name servers and statuses are stored as in our own answers, whatever files add to them', () => {
    const record = registrationOf({
      name_servers: ['NS1.Example.net.', 'ns1.example.net', '.'],
      domain_status: ['clientHold https://icann.org/epp#clientHold', 'ok (http://a.example)', 'ok'],
    });
    expect(record).toEqual({
      name_servers: ['ns1.example.net'],
      domain_status: ['clienthold', 'ok'],
    });
  });

  it('S102: the texts of a very long registration are cut', () => {
    const contact = { name: 'a'.repeat(2_000), company: 'Example Holdings' };
    const sized = (count: number) =>
      registrationOf({
        name_servers: Array.from({ length: count }, (_, n) => `ns${n}.${'a'.repeat(900)}`),
        registrant_contact: contact,
      });
    const shownName = (count: number) => {
      const { name } = sized(count).registrant_contact as { name: string };
      return name.length;
    };
    expect([shownName(13), shownName(100)]).toEqual([1_000, 100]);
    expect(JSON.stringify(sized(100)).length).toBeLessThan(64 * 1024);
    expect(sized(100).registrant_contact).toMatchObject({ company: 'Example Holdings' });
  });
});
