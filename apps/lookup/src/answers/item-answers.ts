import type { FastifyReply } from 'fastify';
import {
  CHARGED_ITEMS_HEADER,
  OUTCOME_HEADER,
  SOURCE_HEADER,
  isOutcomeCharged,
  isSourceCharged,
  streamedLine,
} from '#libs/contracts';
import { InternalError, Problem } from '#libs/platform';
import type { Json } from '../serializers/whois-body.js';
import { type DataAnswer, goneSignal } from './data-answer.js';

/** The number of items of one request that are looked up at once. */
const AT_A_TIME = 20;
const NDJSON = 'application/x-ndjson';

export interface ItemQuestions {
  count: number;
  member: string;
  subject(index: number): Json;
  /** Answers one item, counted from 0. A thrown problem affects only this item. */
  answer(index: number, signal: AbortSignal): Promise<DataAnswer>;
}

interface Finished {
  json: Json;
  isCharged: boolean;
  isAnswer: boolean;
}

/**
 * Answers several questions of one request: in order as one JSON object or, if the gateway requests it, as one line per
 * answer as soon as the answer is ready. If the gateway disconnects, the remaining lookups are cancelled.
 */
export async function sendItems(reply: FastifyReply, questions: ItemQuestions): Promise<void> {
  const isStreamed = reply.request.headers.accept === NDJSON;
  const signal = goneSignal(reply);
  if (isStreamed) await streamItems(reply, questions, signal);
  else await sendInOrder(reply, questions, signal);
}

async function sendInOrder(
  reply: FastifyReply,
  questions: ItemQuestions,
  signal: AbortSignal,
): Promise<void> {
  const finished: Finished[] = [];
  await answerAll(questions, signal, (index, item) => void (finished[index] = item));
  if (signal.aborted) return;
  const charged = finished.filter(({ isCharged }) => isCharged).length;
  const body = {
    status: true,
    [questions.member]: finished.map(({ json }) => json),
    summary: summaryOf(finished),
  };
  void reply
    .status(200)
    .headers({ ...HEADERS, [CHARGED_ITEMS_HEADER]: String(charged) })
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(body));
}

async function streamItems(
  reply: FastifyReply,
  questions: ItemQuestions,
  signal: AbortSignal,
): Promise<void> {
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(200, { ...HEADERS, 'content-type': NDJSON });
  const finished: Finished[] = [];
  await answerAll(questions, signal, (_index, item) => {
    finished.push(item);
    raw.write(streamedLine(item.isCharged ? 'charged' : 'free', JSON.stringify(item.json)));
  });
  if (signal.aborted) return;
  raw.end(streamedLine('last', JSON.stringify({ summary: summaryOf(finished) })));
}

/** The headers of the whole response; each item has its own charge. */
const HEADERS = { [OUTCOME_HEADER]: 'delivered', [SOURCE_HEADER]: 'live' } as const;

async function answerAll(
  { count, answer, subject }: ItemQuestions,
  signal: AbortSignal,
  onFinished: (index: number, item: Finished) => void,
): Promise<void> {
  let next = 0;
  const work = async () => {
    while (next < count && !signal.aborted) {
      const index = next++;
      const item = await answerOrProblem(answer, index, signal);
      if (!signal.aborted) onFinished(index, finish(index, item, subject));
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_A_TIME, count) }, work));
}

async function answerOrProblem(
  answer: ItemQuestions['answer'],
  index: number,
  signal: AbortSignal,
): Promise<DataAnswer> {
  try {
    return await answer(index, signal);
  } catch (error) {
    const problem = error instanceof Problem ? error : new InternalError(error);
    return { outcome: 'invalid', serving: { servedFrom: 'live', ageSeconds: 0 }, problem };
  }
}

function finish(index: number, item: DataAnswer, subject: ItemQuestions['subject']): Finished {
  if ('body' in item) {
    const isCharged = isOutcomeCharged(item.outcome) && isSourceCharged(item.serving.servedFrom);
    return { json: { index, ...item.body }, isCharged, isAnswer: true };
  }
  const { status, code, detail } = item.problem.toBody();
  const refusal = { status: false, status_code: status, code, message: detail };
  const json = { index, ...subject(index), ...refusal };
  return { json, isCharged: false, isAnswer: false };
}

function summaryOf(finished: readonly Finished[]) {
  const delivered = finished.filter(({ isAnswer }) => isAnswer).length;
  return { delivered, failed: finished.length - delivered };
}
