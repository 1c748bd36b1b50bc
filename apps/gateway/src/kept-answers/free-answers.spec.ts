import { expect, it } from '@jest/globals';
import { ACCOUNT_KEY_CREATE, JOB_WHOIS, type Operation } from '#libs/contracts';
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
  await keep(answers, JOB_WHOIS, status);
  expect(kept).toMatchObject([{ isFree }]);
});

it('while answers cannot be stored, a new key is sent all the same, because nothing can show it again', async () => {
  const answers = {
    dropFreeAnswers: () => Promise.reject(new Error('no database')),
  } as unknown as KeptAnswersOptions['answers'];
  expect(await keep(answers, ACCOUNT_KEY_CREATE, 201)).toMatchObject({ body: '{}' });
  expect(await keep(answers, JOB_WHOIS, 200)).toMatchObject({ status: 503 });
});

async function keep(answers: KeptAnswersOptions['answers'], operation: Operation, status: number) {
  const logger = new Logger('gateway', { write: () => {} });
  const clock = new TestClock();
  const keptAnswers = new KeptAnswers({ answers, clock, logger, requestDeadlineMs: 1_000 });
  const caller = { account: { id: newId() }, isTest: false };
  const context = { answerStatus: status, cost: 0, keyed: {}, caller, route: { operation } };
  const headers = { status, outcome: 'delivered', servedFrom: 'live' };
  return keptAnswers.keep(context as never, { headers, body: '{}' });
}
