import type { Random } from '../random.js';

/** What a registrant may write into a value he chose, to be read as the registry's own words. */
const LIES = [
  'Domain Status: available',
  'Status: free',
  'status: AVAILABLE',
  'No match for "example.test".',
  'No match',
  'NOT FOUND',
  'Domain not found.',
  'Available',
  '% No entries found for the selected source(s).',
  'query_status: 220 Available',
  'Domain Name: other.test',
  'Name Server: ns1.other.test',
];

/** What may look like the end of a line; a registry never lets a real one through. */
const LINE_ENDS = [
  '<br>',
  '<BR/>',
  '<br />',
  '\r',
  '\u2028',
  '\u2029',
  '\v',
  '\f',
  '\u0085',
  '\t',
  '  ',
];

type Mutation = (lines: string[], random: Random) => string[];

const MUTATIONS: readonly Mutation[] = [
  function lose(lines, random) {
    return lines.filter(() => !random.chance(0.15));
  },
  function loseAfter(lines, random) {
    return lines.slice(0, random.between(1, lines.length));
  },
  function loseBefore(lines, random) {
    return lines.slice(random.between(0, lines.length - 1));
  },
  function breakOff(lines, random) {
    const text = lines.join('\n');
    return text.slice(0, random.between(1, text.length)).split('\n');
  },
  function repeat(lines, random) {
    const at = random.between(0, lines.length - 1);
    return lines.toSpliced(at, 0, ...lines.slice(at, at + random.between(1, 5)));
  },
  function move(lines, random) {
    const line = random.pick(lines);
    return lines.toSpliced(random.between(0, lines.length), 0, line);
  },
  function indent(lines, random) {
    const margin = ' '.repeat(random.between(1, 8));
    return lines.map((line) => (random.chance(0.5) ? margin + line : line));
  },
  function loosen(lines, random) {
    return lines.flatMap((line) => (random.chance(0.2) ? [line, ''] : [line]));
  },
  function tighten(lines) {
    return lines.filter((line) => line.trim() !== '');
  },
  function shout(lines) {
    return lines.map((line) => line.toUpperCase());
  },
  function comment(lines, random) {
    const mark = random.pick(['% ', '# ', '; ', '>>> ']);
    return lines.map((line) => (random.chance(0.2) ? mark + line : line));
  },
  function garble(lines, random) {
    return lines.map((line) => {
      if (line === '' || !random.chance(0.2)) return line;
      const at = random.between(0, line.length - 1);
      return line.slice(0, at) + String.fromCharCode(random.between(1, 255)) + line.slice(at + 1);
    });
  },
  function endOtherwise(lines, random) {
    const end = random.pick(['\r', '\r\r', '\t', ' ']);
    return lines.map((line) => line + end);
  },
  lie,
  lie,
  lie,
];

/** Into a published value: nobody outside of the registry writes anything else of an answer. */
function lie(lines: string[], random: Random): string[] {
  const keyed = lines.flatMap((line, at) => (/^[^%#:]+:[ \t]*\S/.test(line) ? [at] : []));
  if (keyed.length === 0) return lines;
  const at = random.pick(keyed);
  const end = random.pick(LINE_ENDS);
  const lies = Array.from({ length: random.between(1, 3) }, () => random.pick(LIES));
  return lines.with(at, [lines[at], ...lies].join(end));
}

/** The answer as a careless network, registry or registrant may leave it: one to four changes. */
export function mutated(text: string, random: Random): string {
  let lines = text.split('\n');
  for (let left = random.between(1, 4); left > 0; left -= 1) {
    lines = random.pick(MUTATIONS)(lines, random);
    if (lines.length === 0) lines = [''];
  }
  return lines.join('\n');
}

const SIZE = 256 * 1024;

/** Texts of the greatest size read, each the worst case of one loop of the parser. */
export const ENDLESS_PIECES: readonly string[] = [
  'a',
  ' ',
  '\n',
  '\t',
  ':',
  '[',
  '(',
  '.',
  '"',
  '<br>',
  '<',
  '\r',
  '1-',
  '1/1/',
  'é',
  '\u0301',
  '\ud800',
  '不存在',
  'a: ',
  'a:b\n',
  'no ',
  'not ',
  'in the ',
  'no matching ',
  'available ',
  'x.',
  'ns1.',
  'Domain Name: a.test\n',
  'Domain Name: example.test\nDomain Name: other.test\n',
  'Name Server: ns1.example.net\n',
  'nserver: a.b c.d e.f g.h i.j k.l\n',
  'Registrant:\n    Line\n',
  'nic-hdl: A1\nperson: B\n\n',
  'holder-c: A1\n',
  'Status: a,b,c,d,e,f,g\n',
  'Creation Date: 2020-01-01T00:00:00Z\n',
  'Creation Date: 1 1 1 1 1 1 1 1 1 1 1 1 1 1\n',
  '% exceeded the limit of small print, which goes on and on for long\n',
  'Registrant Email: a at b at c (at) d\n',
  'Registrant Street: 1 Sample Street, Floor 2\n',
  'registrar: a t/a b [Tag = c]\n',
  '         a\n',
  'Tech Phone: +1.1 ext 1 (2) 3/4\n',
  'Registrant Country: Federal Republic of Nowhere\n',
];

export function endless(piece: string, random: Random): string {
  const start = random.chance(0.5) ? 'Domain Name: example.test\n' : '';
  return (start + piece.repeat(Math.ceil(SIZE / piece.length))).slice(0, SIZE);
}
