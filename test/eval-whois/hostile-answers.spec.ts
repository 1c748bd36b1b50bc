import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { parseWhois, type ParseContext } from '#libs/resolvers';
import { registryLayout } from '../../apps/simulators/src/registry/layouts/by-tld.js';
import { registrarAnswer } from '../../apps/simulators/src/registry/layouts/icann.js';
import { registrationOf } from '../../apps/simulators/src/registrations/registration.js';
import { Random } from '../random.js';
import { endless, ENDLESS_PIECES, mutated } from './mutations.js';
import type { RecordedRow } from './recorded-row.js';

const SEED = 20_261_122;
const MUTATED_ANSWERS = 5_000;
const ENDLESS_ANSWERS = 88;
const TRIES = 5;
const PROCESSOR_MS_MAX = 50;
const TLDS =
  'com net shop fr ch se ru at au be br ca cz de dk eu fi it jp nl no pl uk su re li nu xn--p1ai'.split(
    ' ',
  );

interface Original {
  text: string;
  context: ParseContext;
}

/** Registered names in the layouts of the simulators. */
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

/** Recorded answers about registered names, where they lie beside the project. */
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

/** The seeds whose answer read as "not registered" although its original was registered, or threw. */
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

/** Processor time of this thread, in milliseconds. */
function processorMs(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

describe(`${MUTATED_ANSWERS} mutated answers about registered names`, () => {
  it('none is read as "not registered"', () => {
    const originals = inventedAnswers();
    expect(originals.length).toBe(TLDS.length * 2);
    expect(faults(originals)).toEqual([]);
  });

  const recorded = existsSync(CORPUS) ? it : it.skip;
  recorded('none of recorded ones either', () => {
    const originals = recordedAnswers();
    expect(originals.length).toBeGreaterThan(500);
    expect(faults(originals)).toEqual([]);
  });
});

describe('S64: answers made to keep the parser busy', () => {
  it(`${ENDLESS_ANSWERS} of 256 KiB: none throws, none takes more than ${PROCESSOR_MS_MAX} ms of processor time`, () => {
    const context = { domain: 'example.test', server: '', role: 'registry' } as const;
    const slow: string[] = [];
    for (let at = 0; at < ENDLESS_ANSWERS; at += 1) {
      const random = new Random(SEED + at);
      const piece = ENDLESS_PIECES[at % ENDLESS_PIECES.length];
      const text = endless(piece, random);
      const tld = random.pick(TLDS);
      // Collecting garbage and compiling are not the text's doing: the best of a few tries counts.
      let ms = Infinity;
      for (let tries = 0; tries < TRIES && ms > PROCESSOR_MS_MAX; tries += 1) {
        ms = Math.min(
          ms,
          processorMs(() => parseWhois(text, { ...context, tld })),
        );
      }
      if (ms > PROCESSOR_MS_MAX) slow.push(`${JSON.stringify(piece)} .${tld}: ${ms} ms`);
    }
    expect(slow).toEqual([]);
  });

  it('mixtures of all of them end as well', () => {
    for (let seed = SEED; seed < SEED + 100; seed += 1) {
      const random = new Random(seed);
      const lines = Array.from({ length: 2_000 }, () => random.pick(ENDLESS_PIECES));
      const context = { domain: 'example.test', server: '', role: 'registry' } as const;
      const text = lines.join('');
      const ms = processorMs(() => parseWhois(text, { ...context, tld: random.pick(TLDS) }));
      expect([seed, ms > PROCESSOR_MS_MAX * 2]).toEqual([seed, false]);
    }
  });
});
