import { expect, it } from '@jest/globals';
import { readMessage, writeQuestion } from './dns-message.js';

const QUESTION = { id: 1, name: 'a.example', type: 'A', hasEdns: false } as const;
const NS = 2;
const SOA = 6;

/** Returns an answer without records except for one in the authority section, about the name `example`. */
function withAuthority(flags: number, type: number): Buffer {
  const head = Buffer.from(writeQuestion(QUESTION));
  head.writeUInt16BE(flags, 2);
  head.writeUInt16BE(1, 8);
  const data = Buffer.concat([Buffer.from('\u0002ns\u00c0\u000e', 'latin1'), soaRest(type)]);
  const record = Buffer.alloc(12);
  record.writeUInt16BE(0xc00e, 0);
  record.writeUInt16BE(type, 2);
  record.writeUInt16BE(1, 4);
  record.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, record, data]);
}

const soaRest = (type: number) =>
  type === SOA ? Buffer.concat([Buffer.from([0xc0, 0x0e]), Buffer.alloc(20)]) : Buffer.alloc(0);

it.each([
  ['only names other servers', 'refused', 0x8000, NS],
  ['resolves names', 'noerror', 0x8080, NS],
  ['has the zone', 'noerror', 0x8400, NS],
  ['names the start of the zone', 'noerror', 0x8000, SOA],
])('an empty answer of a server that %s counts as %s', (_server, rcode, flags, type) => {
  expect(readMessage(withAuthority(flags, type))).toMatchObject({ rcode, answers: [] });
});
