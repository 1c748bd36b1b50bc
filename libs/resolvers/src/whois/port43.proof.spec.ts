import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseDomainName } from '#libs/domain-names';
import { Random } from '../../../../test/random.js';
import { LoopbackInternet } from '../loopback-internet.contract.js';
import { Port43Client } from './port43.js';
import { queryLine } from './query-forms.js';

/** Single characters: separators, line breaks, invisible characters and half of a surrogate pair. */
const CHARACTERS =
  'a1AZß.。．-_=/\\@:?#[]"\'<>&*+,;|` \r\n\0\t\v\x7f\u0085\u2028\u00a0\u00ad\u200d\u202e\ufeff\ud800\u0301';
const NAMES =
  'example shop xn-- xn--mnchen-3ya münchen пример 例え .. .com .de .co.uk .jp --'.split(' ');
const COMMANDS =
  'QUIT --show-handles /e :43 %0d%0a %00 0x7f 127 .1 ::1 http:// https://a@ $('.split(' ');
const PIECES = [...CHARACTERS.split(''), ...NAMES, ...COMMANDS, '-T dn', '\r\n'];

/** Joins parts of names and addresses, line breaks and beginnings of flags into what is nearly a name. */
function hostileName(random: Random): string {
  const piece = () =>
    random.chance(0.1) ? String.fromCodePoint(random.between(0, 0x2fff)) : random.pick(PIECES);
  const some = (most: number) => Array.from({ length: random.between(0, most) }, piece).join('');
  if (random.chance(0.3)) return some(6);
  // A valid name with a fault in only one place.
  return `${some(1)}example${some(1)}shop${random.between(1, 9_999)}${some(1)}.com${some(1)}`;
}

/** The forms of query that servers expect: what stands before and after the name. */
const FORMS: readonly (readonly [server: string, before: string, behind: string])[] = [
  ['whois.nic.example', '', ''],
  ['ccwhois.verisign-grs.com', 'domain ', ''],
  ['whois.verisign-grs.com', 'domain ', ''],
  ['whois.denic.de', '-T dn,ace ', ''],
  ['whois.jprs.jp', '', '/e'],
  ['whois.nic.name', 'domain=', ''],
  ['whois.punktum.dk', '--show-handles ', ''],
];

/**
 * Passes this many hostile names through every step that a customer's input takes, up to the bytes that would be sent.
 * @returns the numbers of accepted and refused names; as `faults` the accepted ones with a control character, or with a
 *   query that is not one line in the server's form; and as `sample` some of the accepted names.
 */
function runHostileNames(seed: number, count: number) {
  const random = new Random(seed);
  const run = { accepted: 0, refused: 0, faults: [] as string[], sample: [] as string[] };
  for (let at = 0; at < count; at += 1) {
    const input = hostileName(random);
    const parsed = parseDomainName(input);
    if (!parsed.ok) {
      run.refused += 1;
      continue;
    }
    const { name } = parsed.domain;
    const [server, before, behind] = FORMS[run.accepted % FORMS.length];
    const line = queryLine(server, name);
    const isOneName = /^[a-z0-9.-]{1,253}$/.test(name) && line === `${before}${name}${behind}\r\n`;
    if (!isOneName || /\p{Cc}/u.test(input)) run.faults.push(JSON.stringify([input, server, line]));
    if (run.accepted % 100 === 0) run.sample.push(name);
    run.accepted += 1;
  }
  return run;
}

const HOST = 'whois.nic.example';
const PATIENT = { connectMs: 60_000, firstByteMs: 60_000, wholeMs: 60_000 };
const TEXTS = 1_000_000;
let internet: LoopbackInternet;

beforeAll(async () => {
  internet = new LoopbackInternet();
  await internet.whois(HOST, 'Domain Name: a.example\r\n');
});
afterAll(() => internet.close());

describe('port 43', () => {
  it(`S61: only the names among ${TEXTS} hostile texts are queried, each in one line`, async () => {
    const client = new Port43Client(internet.connector(), PATIENT);
    const { accepted, refused, faults, sample } = runHostileNames(1_061, TEXTS);
    expect(faults).toEqual([]);
    expect([accepted, refused].every((count) => count > TEXTS / 10)).toBe(true);
    for (const name of sample) await client.ask(HOST, name);
    expect(internet.asked).toEqual(sample.map((name) => `${HOST} ${name}\r\n`));
  });
});
