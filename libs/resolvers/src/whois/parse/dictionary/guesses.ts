import { parseDate } from '../fields/dates.js';
import { readHostNames } from '../fields/host-names.js';
import { readTarget, type Target } from './target.js';

/** Word stems that identify the kind of a date; the first match counts. */
const DATE_STEMS: readonly (readonly [string, readonly string[]])[] = [
  ['expires', ['expir', 'valid', 'paid', 'until', 'till', 'vencim']],
  ['updated', ['updat', 'modif', 'chang', 'actualiz', 'edited']],
  ['created', ['creat', 'regist', 'activ', 'approv', 'commenc', 'inscri']],
];

/** Word stems of keys whose date or host does not belong to the domain. */
const FOREIGN_STEMS: readonly string[] = [
  'admin',
  'bill',
  'contact',
  'databas',
  'delet',
  'dnssec',
  'eligib',
  'holder',
  'host',
  'lookup',
  'option',
  'owner',
  'queried',
  'query',
  'reach',
  'registrant',
  'registrar',
  'server',
  'stat',
  'tech',
  'timestamp',
  'trademark',
  'transfer',
  'verif',
  'whois',
];

const SERVER_WORDS: ReadonlySet<string> = new Set([
  'dns',
  'nameserver',
  'nameservers',
  'ns',
  'nserver',
  'nservers',
  'hostname',
]);

/**
 * Guesses the meaning of a key that is in no table, from its words and the form of its value: `domain currently
 * expires: 2027-01-31` is an expiry. @returns undefined if the guess would be uncertain.
 */
export function guessTarget(key: string, value: string): Target | undefined {
  const words = key.split(' ').slice(0, 8);
  if (words.some((word) => isServerWord(word)) && readHostNames(value).length > 0) {
    return readTarget('nameServer');
  }
  if (words.some((word) => startsWithAny(word, FOREIGN_STEMS))) return undefined;
  const found = DATE_STEMS.find(([, stems]) => words.some((word) => startsWithAny(word, stems)));
  if (found === undefined || parseDate(value, { order: 'dmy' }) === undefined) return undefined;
  return readTarget(found[0]);
}

/**
 * Recognises a header that ends in `name servers` or a synonym, whatever precedes these words; undefined for any other
 * header.
 */
export function guessHeader(key: string): Target | undefined {
  const isServers = ['nameservers', 'name servers', 'dns servers'].some((it) => key.endsWith(it));
  return isServers ? readTarget('@nameServers') : undefined;
}

/** True for a word for a name server, even with a number: `ns1`. */
function isServerWord(word: string): boolean {
  if (SERVER_WORDS.has(word)) return true;
  return word.startsWith('ns') && word.length <= 4 && !Number.isNaN(Number(word.slice(2)));
}

function startsWithAny(word: string, stems: readonly string[]): boolean {
  return stems.some((stem) => word.startsWith(stem));
}
