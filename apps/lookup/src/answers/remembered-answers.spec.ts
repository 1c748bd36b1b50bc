import { expect, it } from '@jest/globals';
import { SECOND_MS } from '#libs/platform';
import type { LookupOutcome, NumberLookup } from '#libs/resolvers';
import { TestClock } from '#test/environment';
import { KEPT_NUMBER } from '../numbers/numbers.service.js';
import { AnswerCounts } from './answer-counts.js';
import type { LookupOverloaded } from './answers.errors.js';
import { RememberedAnswers } from './remembered-answers.js';

const QUESTION = { max_age: 0, allow_stale: false, fresh: false, repeat: false };

function remembered(clock: TestClock) {
  const config = { cacheEntries: 10, cacheBytes: 10_000 };
  const counts = new AnswerCounts();
  return new RememberedAnswers<NumberLookup>(KEPT_NUMBER, 1, { counts, clock, config });
}

it('S102: an account with many lookups at slow registries leaves places for others', async () => {
  const clock = new TestClock();
  const answers = remembered(clock);
  const { promise: end, resolve } = Promise.withResolvers<NumberLookup>();
  const ask = async (key: string, asker: string) => {
    const found = answers.find(key, { ...QUESTION, asker }, async () => end);
    return found.then(() => 'answered').catch(({ code }: LookupOverloaded) => code);
  };
  const asked = Array.from({ length: 2_000 }, (_, at) => ask(`AS${at}`, 'busy'));
  const other = ask('AS64500', 'other');
  resolve({ outcome: 'not_registered', sources: [], fetchedAt: clock.now() });
  expect(await other).toBe('answered');
  const results = await Promise.all(asked);
  expect(results.filter((result) => result === 'answered')).toHaveLength(1_000);
  expect(results.at(-1)).toBe('lookup_overloaded');
});

it.each([
  ['throttled', 5, undefined, 30],
  ['throttled', 300, undefined, 300],
  ['unreachable', undefined, undefined, 30],
  // A failure that is not kept may be retried when it says so.
  ['throttled', 5, 'queue_full', 5],
] as const)(
  'the wait of a failure (%s, %s s, %s) is %s s, as long as it would be returned again',
  async (outcome: LookupOutcome, retryAfterSeconds, error, seconds) => {
    const clock = new TestClock();
    const answers = remembered(clock);
    let looked = 0;
    const ask = async () => {
      const { lookup } = await answers.find('AS64500', QUESTION, async () => {
        looked += 1;
        const fetchedAt = clock.now();
        const common = { outcome, retryAfterSeconds, fetchedAt };
        const server = 'https://rdap.example/';
        const source = { id: 's1', protocol: 'rdap', server, latencyMs: 0, error } as const;
        return { ...common, sources: [{ ...source, ...common }] };
      });
      return lookup.retryAfterSeconds;
    };
    expect(await ask()).toBe(seconds);
    clock.advance(seconds * SECOND_MS);
    await ask();
    expect(looked).toBe(2);
  },
);
