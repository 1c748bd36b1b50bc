import { Injectable } from '@nestjs/common';
import { type NameFindings, isOutcomeCharged, isSourceCharged } from '#libs/contracts';
import { InternalError, Problem, SECOND_MS, monotonicMs } from '#libs/platform';
import { LookupOverloaded } from '../answers/answers.errors.js';
import type { DataAnswer } from '../answers/data-answer.js';
import { DnsService } from '../dns/dns.service.js';
import { LiveService } from '../live/live.service.js';
import { LookupConfig } from '../lookup.config.js';
import { BusyEndings } from './busy-endings.js';
import { QuestionPlaces } from './question-places.js';
import type { QuestionsRequest } from './questions.dto.js';

/** The number of names of one call that are looked up at once, if there are enough places. */
const AT_A_TIME = 50;
const ALL_TYPES = 'all' as const;

export interface QuestionsOf {
  request: QuestionsRequest;
  accountId?: string;
  signal: AbortSignal;
}

/**
 * Answers a worker's questions about many names. If an upstream is busy, the answer about a name is the number of
 * seconds to wait, so that a slow registry does not delay other names.
 */
@Injectable()
export class QuestionsService {
  private readonly places = new QuestionPlaces();

  constructor(
    private readonly live: LiveService,
    private readonly dns: DnsService,
    private readonly config: LookupConfig,
  ) {}

  /**
   * Looks up all names of a call, unless the caller disconnects. @param onFound called once for each name, when its
   * answer is ready.
   */
  async answerAll(questions: QuestionsOf, onFound: (found: NameFindings) => void): Promise<void> {
    const { names, waitSeconds, maxAgeSeconds } = questions.request;
    const untilMs = monotonicMs() + waitSeconds * SECOND_MS;
    let next = 0;
    const isOver = () => next >= names.length || questions.signal.aborted;
    const busy = new BusyEndings();
    const answerNext = async () => {
      if (isOver()) return;
      const index = next++;
      const name = names[index];
      // If cached answers are accepted, the name is tried even if its upstream is not ready.
      const refusal = maxAgeSeconds === 0 ? busy.refusalOf(name) : undefined;
      const answer = refusal ?? (await this.answer(name, questions, untilMs));
      busy.note(name, answer);
      if (!questions.signal.aborted) onFound(findings(index, answer));
    };
    const work = async () => {
      while (!isOver()) await this.places.use(answerNext);
    };
    await Promise.all(Array.from({ length: Math.min(AT_A_TIME, names.length) }, work));
  }

  private async answer(
    name: string,
    { request, accountId, signal }: QuestionsOf,
    untilMs: number,
  ): Promise<DataAnswer> {
    const isKept = request.priority === 'monitor';
    const freshness = { max_age: request.maxAgeSeconds, allow_stale: false, fresh: false };
    try {
      if (request.kind === 'dns') {
        const type = request.types ?? [ALL_TYPES];
        const question = { ...freshness, domainName: name, type, version: 2 as const };
        const isCollected = request.priority === 'background';
        return await this.dns.live(question, { repeat: false, signal, isKept, isCollected });
      }
      // Jobs count as a separate account, so that they do not use up their owner's share of live lookups.
      const asker = accountId === undefined ? request.priority : `${request.priority} ${accountId}`;
      const waitMaxMs = Math.max(0, Math.min(untilMs - monotonicMs(), this.places.waitMaxMs));
      return await this.live.answer(
        name,
        { ...freshness, version: 2, include: ['provenance'] },
        {
          repeat: false,
          priority: request.priority,
          asker,
          // Waiting for a turn does not use up the time limit of the lookup, because a wait is not a failure.
          budgetMs: waitMaxMs + this.config.budgetMs,
          waitMaxMs,
          signal,
          isKept,
        },
      );
    } catch (error) {
      const problem = error instanceof Problem ? error : new InternalError(error);
      const outcome = error instanceof LookupOverloaded ? 'throttled' : 'invalid';
      return { outcome, serving: { servedFrom: 'live', ageSeconds: 0 }, problem };
    }
  }
}

function findings(index: number, answer: DataAnswer): NameFindings {
  const { outcome, serving } = answer;
  const { servedFrom } = serving;
  if ('body' in answer) {
    const isCharged = isOutcomeCharged(outcome) && isSourceCharged(servedFrom);
    return { index, outcome, servedFrom, isCharged, body: answer.body };
  }
  const { code, detail, retry_after: seconds = 0 } = answer.problem.toBody();
  const later = outcome === 'throttled' && { laterSeconds: seconds };
  return { index, outcome, servedFrom, isCharged: false, problem: { code, detail }, ...later };
}
