import { type AnswerForm, type Operation, type OperationRoute, hasDryRun } from '../operation.js';
import type { JsonSchema } from '../parameter.js';
import { answerHeaders, refusalHeaders } from './answer-headers.js';
import { AnswerMeta } from './answer-meta.js';
import { META_EXAMPLE, linesExample } from './examples.js';
import { BrokenOffLine } from '../bulk.js';
import { problemsOf } from './operation-problems.js';
import { PROBLEM_STATUS } from './problem-codes.js';
import { ProblemAnswer } from './problem-answer.js';
import type { Schemas } from './schemas.js';
import { fileAnswers, transferHeaders } from './transfer-answers.js';

interface Answered {
  operation: Operation;
  route: OperationRoute;
  schemas: Schemas;
}

/** Returns the answers of an operation by status: each format under its content type, and the rejections. */
export function responsesOf(answered: Answered): Record<string, object> {
  return { ...answersOf(answered), ...refusalsOf(answered) };
}

function answersOf(answered: Answered): Record<string, object> {
  const { operation, route } = answered;
  const [first] = operation.answers;
  const headers = { ...answerHeaders(operation, route), ...transferHeaders(operation) };
  if (first.type === 'file') return fileAnswers(first, headers);
  if (first.type === 'none') return { [first.status]: { description: 'Done', headers } };
  const content = Object.fromEntries(
    operation.answers.map((form) => [form.type, contentOf(form, answered)]),
  );
  const status = (first.type === 'application/json' && first.status) || 200;
  const answer = { description: 'The answer', headers, content };
  if (status === 200 || !hasDryRun(operation)) return { [status]: answer };
  return { 200: { ...answer, description: 'The result of a dry run' }, [status]: answer };
}

function contentOf(form: AnswerForm, { operation, route, schemas }: Answered): object {
  const meta = {
    type: 'object',
    properties: { meta: schemas.refer(AnswerMeta) },
    required: ['meta'],
  };
  switch (form.type) {
    case 'application/json': {
      const hasMeta = form.hasMeta ?? (route.version === 2 && operation.price.per !== 'free');
      // The examples are in the format of the newest version, which only sometimes extends an older one.
      const own = route.answer ?? form.of;
      const answer = schemas.refer(own);
      const isOfNewest = own === form.of || form.of.prototype instanceof own;
      const shown = isOfNewest ? operation.examples : [];
      const examples = shown.map(({ title, answer: value }, place) => [
        // Two operations with one path may both have examples.
        `${operation.name}.${place + 1}`,
        { summary: title, value: hasMeta ? { ...value, meta: META_EXAMPLE } : value },
      ]);
      return {
        schema: hasMeta ? { allOf: [answer, meta] } : answer,
        examples: Object.fromEntries(examples) as object,
      };
    }
    case 'application/x-ndjson': {
      const closings = [form.last, BrokenOffLine].map((last) => ({
        allOf: [schemas.refer(last), meta],
      }));
      const line = { anyOf: [schemas.refer(form.of), ...closings] };
      return { schema: textOf(form.type, line), examples: linesExample(operation) };
    }
    case 'text/csv':
      return { schema: { type: 'string', description: `Columns: ${form.columns.join(', ')}` } };
    case 'file':
    case 'none':
      return {};
  }
}

interface Response {
  description: string;
  headers?: object;
  content?: Record<string, { schema: JsonSchema; examples?: object }>;
}

/**
 * Merges the responses of two operations that are one operation in OpenAPI: for each status and type, the answer of
 * either.
 */
export function eitherResponses(first: object, second: object): Record<string, object> {
  const [one, other] = [first, second] as Record<string, Response>[];
  const statuses = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  const merged = statuses.map((status) => [
    status,
    status in one && status in other
      ? eitherResponse(one[status], other[status])
      : (one[status] ?? other[status]),
  ]);
  return Object.fromEntries(merged) as Record<string, object>;
}

function eitherResponse(one: Response, other: Response): Response {
  const content = { ...other.content, ...one.content };
  for (const type of Object.keys(one.content ?? {})) {
    const [own, twin] = [one.content![type], other.content?.[type]];
    if (twin === undefined) continue;
    const examples = { ...twin.examples, ...own.examples };
    content[type] = { schema: { anyOf: [own.schema, twin.schema] }, examples };
  }
  const said = [one, other].flatMap(({ description }) => description.split(', '));
  const description = [...new Set(said)].join(', ');
  return { description, headers: { ...other.headers, ...one.headers }, content };
}

/**
 * Returns the schema of a stream. A stream as a whole is not JSON: it is text, and the schema describes each line of it
 * (JSON Schema §8.5).
 */
function textOf(contentMediaType: string, contentSchema: JsonSchema): JsonSchema {
  return {
    type: 'string',
    description:
      'One JSON object per line, in the order of completion; the last line is the summary. A stream whose last line has `error` instead, or that ends without such a line, is incomplete; only the items that were sent are charged',
    contentMediaType,
    contentSchema,
  };
}

function refusalsOf({ operation, schemas }: Answered): Record<string, object> {
  const byStatus = Map.groupBy(problemsOf(operation), (code) => PROBLEM_STATUS[code]);
  const answers = [...byStatus].map(([status, own]) => {
    const typed = {
      type: 'object',
      properties: { code: { enum: own }, status: { const: status } },
    };
    const examples = Object.fromEntries(
      own.map((code) => [code, { $ref: `#/components/examples/${code}` }]),
    );
    const schema = { allOf: [schemas.refer(ProblemAnswer), typed] };
    const answer = {
      description: own.map((code) => `\`${code}\``).join(', '),
      headers: refusalHeaders(operation, status, own),
      content: { 'application/problem+json': { schema, examples } },
    };
    return [status, answer];
  });
  return Object.fromEntries(answers) as Record<string, object>;
}
