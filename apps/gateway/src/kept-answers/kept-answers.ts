import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { IdempotencyKeyReused, IdempotencyKeyRunning, type Transaction } from '#libs/database';
import {
  type Clock,
  DAY_MS,
  InvalidRequest,
  type Logger,
  Problem,
  SECOND_MS,
  ServiceUnavailable,
  idempotencyKeyOf,
} from '#libs/platform';
import { headerOf } from '#libs/public-http';
import { creditsFor } from '../answers/credits-for.js';
import type { RequestContext } from '../context/request-context.js';
import { type OwnerAnswer, bodyOf } from '../context/owner-answer.js';
import type { KeptAnswersRepository } from './kept-answers.repository.js';
import type { KeyedRequest } from '../context/keyed-request.js';

export interface KeptAnswersOptions {
  answers: Pick<
    KeptAnswersRepository,
    'begin' | 'keep' | 'dropFreeAnswers' | 'release' | 'deleteAll'
  >;
  clock: Clock;
  logger: Logger;
  /** After this time, in milliseconds, a request has certainly ended, so that its key can be used again. */
  requestDeadlineMs: number;
}

/** How long a repeat with the same `Idempotency-Key` gets the first answer. */
export const KEPT_MS = DAY_MS;
const RETRY_MS = SECOND_MS;
const MIB = 1024 * 1024;
/** Maximum number of stored bytes of a stream. */
const STREAM_BYTES_MAX = 16 * MIB;
/** Of an account's answers that cost nothing, only the newest are kept, up to this number and total size (S130). */
const FREE_ANSWERS = { count: 100, bytes: 4 * MIB };

const keyReused = new IdempotencyKeyReused();
const keyRunning = new IdempotencyKeyRunning();

/**
 * Runs each request with an `Idempotency-Key` once. A repeat within 24 hours gets the same answer and costs nothing. A
 * complete answer is stored before it is sent, so that it is never charged twice. For a stream, the lines that were
 * sent are stored. A request that is rejected, or interrupted before anything is charged, releases its key; but a change
 * that costs nothing is completed once its owner was called. Of the answers that cost nothing, such as those to
 * test keys, only the newest are kept. Secrets are not stored.
 */
export class KeptAnswers {
  constructor(private readonly options: KeptAnswersOptions) {}

  /**
   * Reserves the key for a request. @returns undefined if the request must run; otherwise the stored answer or a
   * rejection: 400 for a malformed key, 409 while the first request is running, 422 for a different request under the
   * same key, 503 while the database is down.
   */
  begin(context: RequestContext): Promise<OwnerAnswer | Problem | undefined> | Problem | undefined {
    if (!context.route.operation.takesIdempotencyKey) return undefined;
    try {
      const key = idempotencyKeyOf(headerOf(context.request.rawHeaders, 'idempotency-key'));
      return key === undefined ? undefined : this.take(context, key);
    } catch (error) {
      if (error instanceof InvalidRequest) return error;
      throw error;
    }
  }

  /**
   * Stores a complete answer before it is sent, unless it costs nothing and is larger than 4 MiB. @returns the answer,
   * or 503 if it cannot be stored. An answer with a secret is sent even then, because nothing can show it again.
   */
  async keep(context: RequestContext, answer: OwnerAnswer): Promise<OwnerAnswer | Problem> {
    const { secretMember } = context.route.operation;
    try {
      const credits = creditsFor(answer, context);
      const text = withoutMember(bodyOf(answer), secretMember);
      await this.store(context, answer.headers.outcome, text, credits);
      return answer;
    } catch (error) {
      return secretMember === undefined ? new ServiceUnavailable('gateway', error) : answer;
    }
  }

  /** Stores the lines of a stream that were sent, up to 16 MiB, even if the stream was interrupted. */
  keepStream(context: RequestContext, outcome: string): void {
    const { sentLines } = context;
    const end = sentLines.lastIndexOf('\n', STREAM_BYTES_MAX) + 1;
    const lines = sentLines.slice(0, end);
    void this.later(context.keyed!, () =>
      this.store(context, outcome, lines, context.streamedCredits),
    );
  }

  /** Releases the key of a request that was rejected, or that was interrupted before anything was charged. */
  release({ keyed, caller }: RequestContext): void {
    if (!keyed) return;
    void this.later(keyed, () => this.options.answers.release(caller!.account.id, keyed));
  }

  async forget(transaction: Transaction, accountId: string): Promise<void> {
    await this.options.answers.deleteAll(transaction, accountId);
  }

  private async take(
    context: RequestContext,
    key: string,
  ): Promise<OwnerAnswer | Problem | undefined> {
    const { answers } = this.options;
    const keyed = this.keyedRequest(context, key);
    const { id } = context.caller!.account;
    const holder = await answers.begin(id, keyed).catch((error: unknown) => {
      return new ServiceUnavailable('gateway', error);
    });
    if (holder instanceof Problem) return holder;
    switch (holder.is) {
      case 'running':
        return keyRunning;
      case 'another':
        return keyReused;
      case 'answered':
        return repeated(context, holder.outcome, holder.body);
      case 'this':
        context.keyed = keyed;
        // If the client has disconnected in the meantime, nothing else releases the key.
        if (context.isOver) this.release(context);
        return undefined;
    }
  }

  private keyedRequest(context: RequestContext, key: string): KeyedRequest {
    const { clock, requestDeadlineMs } = this.options;
    const now = clock.now().getTime();
    return {
      key,
      requestHash: hashOf(context),
      requestId: context.requestId,
      begunAt: new Date(now),
      runsUntil: new Date(now + requestDeadlineMs),
      keptSince: new Date(now - KEPT_MS),
    };
  }

  private async store(context: RequestContext, outcome: string, text: string, credits: number) {
    const { answers } = this.options;
    const [keyed, accountId] = [context.keyed!, context.caller!.account.id];
    const body = Buffer.from(text, 'latin1');
    const isFree = isFreeAnswer(context, credits);
    if (isFree) {
      // If the first answer was not stored, a repeat runs again.
      if (body.length > FREE_ANSWERS.bytes) return answers.release(accountId, keyed);
      await answers.dropFreeAnswers(accountId, {
        count: FREE_ANSWERS.count - 1,
        bytes: FREE_ANSWERS.bytes - body.length,
      });
    }
    await answers.keep(accountId, keyed, { outcome, body, isFree });
  }

  /**
   * Retries a write until a repeat may take over the key. The request does not wait for the write. If the answer is not
   * stored, a repeat runs and is charged.
   */
  private async later({ runsUntil }: KeyedRequest, work: () => Promise<void>): Promise<void> {
    const { clock, logger } = this.options;
    for (;;) {
      try {
        await work();
        return;
      } catch (error) {
        const message = 'the answer under an Idempotency-Key could not be stored or released';
        logger.sparsely('warn', message, message, { err: error });
      }
      if (clock.now() >= runsUntil) return;
      await sleep(RETRY_MS, undefined, { ref: false });
    }
  }
}

/** Returns the text of an answer without a member, which contains a secret. */
function withoutMember(text: string, member: string | undefined): string {
  if (member === undefined) return text;
  const answer = JSON.parse(Buffer.from(text, 'latin1').toString()) as Record<string, unknown>;
  return Buffer.from(JSON.stringify({ ...answer, [member]: undefined })).toString('latin1');
}

/** True if nothing is charged for an answer, now or later. A job is charged as it runs, and must not start twice. */
function isFreeAnswer({ caller, route, answerStatus }: RequestContext, credits: number): boolean {
  const { price } = route.operation;
  // A dry run, whose status is 200 instead of 202, starts nothing.
  const isChargedLater = price.per === 'free' && price.later !== undefined && answerStatus !== 200;
  return caller!.isTest || (credits === 0 && !isChargedLater);
}

function repeated(context: RequestContext, outcome: string, bytes: Buffer): OwnerAnswer {
  context.isRepeat = true;
  const headers = { status: context.answerStatus, outcome, servedFrom: 'repeat' };
  if (context.form.type === 'application/json') return { headers, body: bytes.toString('latin1') };
  // The controller is aborted when the client disconnects, so that nothing waits for the client to read.
  context.serviceCall = new AbortController();
  return { headers, body: '', stream: Readable.from([bytes]) };
}

function hashOf({ route, question, form, body }: RequestContext): Buffer {
  const asked = [route.operation.method, route.path, question, form.type, JSON.stringify(body)];
  return createHash('sha256').update(asked.join('\n')).digest();
}
