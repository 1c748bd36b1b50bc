import { expect, it } from '@jest/globals';
import { JOB_WHOIS } from '#libs/contracts';
import { Logger, newId } from '#libs/platform';
import { TestClock } from '#test/environment';
import { KeptAnswers, type KeptAnswersOptions } from './kept-answers.js';

it.each([
  ['the dry run of a job', 200, true],
  ['the start of a job, which is charged later', 202, false],
] as const)('the kept answer to %s (status %i) counts as free: %s', async (_, status, isFree) => {
  const kept: object[] = [];
  const answers = {
    dropFreeAnswers: async () => {},
    keep: async (_account: string, _request: object, answer: object) => void kept.push(answer),
  } as unknown as KeptAnswersOptions['answers'];
  const logger = new Logger('gateway', { write: () => {} });
  const clock = new TestClock();
  const keptAnswers = new KeptAnswers({ answers, clock, logger, requestDeadlineMs: 1_000 });
  const caller = { account: { id: newId() }, isTest: false };
  const route = { operation: JOB_WHOIS };
  const context = { answerStatus: status, cost: 0, keyed: {}, caller, route };
  const headers = { status, outcome: 'delivered', servedFrom: 'live' };
  await keptAnswers.keep(context as never, { headers, body: '{}' });
  expect(kept).toMatchObject([{ isFree }]);
});
