import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { parseWhois, type ParseContext } from '#libs/resolvers';
import { registryLayout } from '../../apps/simulators/src/registry/layouts/by-tld.js';
import { registrarAnswer } from '../../apps/simulators/src/registry/layouts/icann.js';
import { registrationOf } from '../../apps/simulators/src/registrations/registration.js';
import { Random } from '../random.js';
import type { RecordedRow } from './comparison.js';

/** Strings that a registrant may write into a value in the hope that they are read as the registry's own words. */
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

/** Characters that look like a line break, because registries do not accept real line breaks in values. */
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

/** Inserts text into a published value, because registrants cannot write any other part of an answer. */
function lie(lines: string[], random: Random): string[] {
  const keyed = lines.flatMap((line, at) => (/^[^%#:]+:[ \t]*\S/.test(line) ? [at] : []));
  if (keyed.length === 0) return lines;
  const at = random.pick(keyed);
  const end = random.pick(LINE_ENDS);
  const lies = Array.from({ length: random.between(1, 3) }, () => random.pick(LIES));
  return lines.with(at, [lines[at], ...lies].join(end));
}

/** Returns the answer after one to four random changes that a faulty network, registry or registrant may cause. */
function mutated(text: string, random: Random): string {
  let lines = text.split('\n');
  for (let left = random.between(1, 4); left > 0; left -= 1) {
    lines = random.pick(MUTATIONS)(lines, random);
    if (lines.length === 0) lines = [''];
  }
  return lines.join('\n');
}

const SIZE = 256 * 1024;

/** The texts that answers of the maximum size repeat. Each is the worst case for one loop of the parser. */
const ENDLESS_PIECES: readonly string[] = [
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

function endless(piece: string, random: Random): string {
  const start = random.chance(0.5) ? 'Domain Name: example.test\n' : '';
  return (start + piece.repeat(Math.ceil(SIZE / piece.length))).slice(0, SIZE);
}

const SEED = 20_261_122;
const MUTATED_ANSWERS = 5_000;
const ENDLESS_ANSWERS = 88;
const TRIES = 5;
/**
 * The CPU time that a hostile answer may take, as a multiple of what an ordinary answer of the same size takes. Work
 * that is not linear would take hundreds of times as much.
 */
const SLOWDOWN_MAX = 15;
const TLDS = 'com net shop fr re ch li de it jp uk'.split(' ');
/** Top-level domains whose registries have grammars or statements of their own. */
const PARSED_TLDS = [
  ...TLDS,
  ...'at au be br ca cz dk eu fi nl no nu pl ru se su xn--p1ai'.split(' '),
];

interface Original {
  text: string;
  context: ParseContext;
}

function inventedAnswers(): Original[] {
  return TLDS.flatMap((tld) => {
    const registration = registrationOf(`sample-shop.${tld}`);
    const context = { domain: `sample-shop.${tld}`, server: '', tld };
    return [
      { text: registryLayout(tld).found(registration), context: { ...context, role: 'registry' } },
      { text: registrarAnswer.found(registration), context: { ...context, role: 'registrar' } },
    ] as Original[];
  });
}

const CORPUS = fileURLToPath(new URL('../../../../shared/whois-corpus', import.meta.url));

/** Returns recorded answers about registered names, which are stored beside the project. */
function recordedAnswers(): Original[] {
  const files = readdirSync(CORPUS).filter((name) => name.endsWith('.jsonl'));
  return files.flatMap((name) =>
    readFileSync(join(CORPUS, name), 'utf8')
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => JSON.parse(line) as RecordedRow)
      .filter(({ expected }) => expected.status === 'registered')
      .map(({ text, expected, server, tld }) => ({
        text,
        context: {
          domain: expected.domain ?? '',
          server: server ?? '',
          tld: tld ?? '',
          role: tld === null ? 'registrar' : 'registry',
        },
      })),
  );
}

/**
 * Returns the mutated answers that were read as "not registered" although the originals were registered, with their
 * seeds.
 */
function faults(originals: readonly Original[]): string[] {
  const held = originals.filter(({ text, context }) => {
    return parseWhois(text, context).outcome === 'delivered';
  });
  const found: string[] = [];
  for (let seed = SEED; seed < SEED + MUTATED_ANSWERS; seed += 1) {
    const random = new Random(seed);
    const { text, context } = random.pick(held);
    const answer = mutated(text, random);
    const { outcome } = parseWhois(answer, context);
    if (outcome === 'not_registered') found.push(`${seed} .${context.tld}: ${answer}`);
  }
  return found;
}

const CONTEXT = { domain: 'example.test', server: '', role: 'registry' } as const;

/** Returns the CPU time in which this thread parses an answer, in milliseconds. */
function processorMs(text: string, tld: string): number {
  const before = process.threadCpuUsage();
  parseWhois(text, { ...CONTEXT, tld });
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

/**
 * Returns the least CPU time of a few attempts, because garbage collection and compilation are not caused by the
 * answer.
 * @param enoughMs no further attempt is made after one that takes at most this time.
 */
function leastMs(text: string, tld: string, enoughMs = 0): number {
  let least = Infinity;
  for (let tries = 0; tries < TRIES && least > enoughMs; tries += 1) {
    least = Math.min(least, processorMs(text, tld));
  }
  return least;
}

describe(`${MUTATED_ANSWERS} mutated answers about registered names`, () => {
  it('are never read as "not registered" if the original was simulated', () => {
    const originals = inventedAnswers();
    expect(originals.length).toBe(TLDS.length * 2);
    expect(faults(originals)).toEqual([]);
  });

  const recorded = existsSync(CORPUS) ? it : it.skip;
  recorded('are never read as "not registered" if the original was recorded', () => {
    const originals = recordedAnswers();
    expect(originals.length).toBeGreaterThan(500);
    expect(faults(originals)).toEqual([]);
  });
});

describe('S64: answers designed to keep the parser busy', () => {
  let limitMs: number;
  beforeAll(() => {
    const { text } = inventedAnswers()[0];
    limitMs = SLOWDOWN_MAX * leastMs(endless(text, new Random(SEED)), TLDS[0]);
  });

  it(`none of ${ENDLESS_ANSWERS} answers of 256 KiB causes an exception or takes more than ${SLOWDOWN_MAX} times the CPU time of an ordinary answer`, () => {
    const slow: string[] = [];
    for (let at = 0; at < ENDLESS_ANSWERS; at += 1) {
      const random = new Random(SEED + at);
      const piece = ENDLESS_PIECES[at % ENDLESS_PIECES.length];
      const text = endless(piece, random);
      const tld = random.pick(PARSED_TLDS);
      const ms = leastMs(text, tld, limitMs);
      if (ms > limitMs) slow.push(`${JSON.stringify(piece)} .${tld}: ${ms} of ${limitMs} ms`);
    }
    expect(slow).toEqual([]);
  });

  it('mixtures of all of them are also parsed in time', () => {
    for (let seed = SEED; seed < SEED + 100; seed += 1) {
      const random = new Random(seed);
      const lines = Array.from({ length: 2_000 }, () => random.pick(ENDLESS_PIECES));
      const ms = leastMs(lines.join(''), random.pick(PARSED_TLDS), limitMs);
      expect([seed, ms > limitMs]).toEqual([seed, false]);
    }
  });
});
