import { expect, it } from '@jest/globals';
import { SECOND_MS } from '#libs/platform';
import type { LookupOutcome, NumberLookup } from '#libs/resolvers';
import { TestClock } from '#test/environment';
import { KEPT_NUMBER } from '../numbers/numbers.service.js';
import { AnswerCounts } from './answer-counts.js';
import { RememberedAnswers } from './remembered-answers.js';

const QUESTION = { max_age: 0, allow_stale: false, fresh: false, repeat: false };

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
    const config = { cacheEntries: 10, cacheBytes: 10_000 };
    const counts = new AnswerCounts();
    const answers = new RememberedAnswers<NumberLookup>(KEPT_NUMBER, 1, { counts, clock, config });
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
