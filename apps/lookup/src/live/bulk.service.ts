import { Injectable } from '@nestjs/common';
import { monotonicMs } from '#libs/platform';
import type { ItemQuestions } from '../answers/item-answers.js';
import { UpstreamTimeout } from '../answers/answers.errors.js';
import { LookupConfig } from '../lookup.config.js';
import type { BulkQuestion } from './live-answer.js';
import { LiveService } from './live.service.js';

const RETRY_AFTER_SECONDS = 30;

@Injectable()
export class BulkService {
  constructor(
    private readonly live: LiveService,
    private readonly config: LookupConfig,
  ) {}

  /**
   * Answers the questions within the time limit of one lookup. Names without an answer by then time out, free of
   * charge.
   */
  questions(
    domainNames: readonly string[],
    question: BulkQuestion,
    asker: string | undefined,
  ): ItemQuestions {
    const untilMs = monotonicMs() + this.config.budgetMs;
    return {
      count: domainNames.length,
      member: 'bulk_whois_response',
      subject: (index) => ({ domain_name: domainNames[index] }),
      answer: async (index, signal) => {
        const budgetMs = Math.floor(untilMs - monotonicMs());
        if (budgetMs <= 0) throw new UpstreamTimeout(RETRY_AFTER_SECONDS);
        const asking = { repeat: false, priority: 'bulk', asker, budgetMs, signal } as const;
        return this.live.answer(domainNames[index], question, asking);
      },
    };
  }
}
