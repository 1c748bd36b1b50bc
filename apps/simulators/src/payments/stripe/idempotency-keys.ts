import { type Clock, DAY_MS } from '#libs/platform';
import { putLatest } from '../kept.js';
import { StripeRefusal } from './requests/stripe-refusal.js';

export interface StripeAnswer {
  status: number;
  body: object;
  /** True if this is a repeated answer (Stripe's header `Idempotent-Replayed`). */
  isReplayed?: true;
}

interface Kept {
  request: string;
  answer: StripeAnswer;
  keptAtMs: number;
}

const RETENTION_MS = DAY_MS;

/** Gives a repeated request the answer of the first request, for 24 hours. */
export class IdempotencyKeys {
  private readonly kept = new Map<string, Kept>();

  constructor(private readonly clock: Clock) {}

  /**
   * Returns the result of `work` or, if this key was used within 24 hours, its first answer. A request without a key is
   * never a repetition.
   * @throws StripeRefusal if the key was used for another request; the errors of `work`, which are not stored.
   */
  answer(key: string | undefined, request: string, work: () => StripeAnswer): StripeAnswer {
    if (key === undefined) return work();
    const nowMs = this.clock.now().getTime();
    const first = this.kept.get(key);
    if (first && nowMs - first.keptAtMs < RETENTION_MS) {
      if (first.request === request) return { ...first.answer, isReplayed: true };
      const message =
        'Keys for idempotent requests can only be used with the same parameters they were first used with.';
      throw new StripeRefusal(400, 'idempotency_error', undefined, message);
    }
    const answer = work();
    putLatest(this.kept, key, { request, answer, keptAtMs: nowMs });
    return answer;
  }
}
