import { type PublicListener, listenerOf } from '../access.js';
import { AnswerMeta } from './answer-meta.js';
import type { AnswerForm, Operation, OperationRoute } from '../operation.js';
import { curlOf, lineExamples, metaExample, problemExample } from './examples.js';
import { groupOf, groupsOf, introduction } from './introduction.js';
import type { JsonSchema, Parameter } from '../parameter.js';
import { problemsOf } from './operation-problems.js';
import { PROBLEM_STATUS, type ProblemCode } from './problem-codes.js';
import { ProblemAnswer } from './problem-answer.js';
import { Schemas } from './schemas.js';

export interface ApiDescription {
  title: string;
  version: string;
  /** Public origin of the listener. */
  origin: string;
  listener: PublicListener;
}

/** How one of the two origins is called. */
interface Origin {
  /** Any one of these opens it. */
  security: readonly Record<string, readonly string[]>[];
  securitySchemes: Record<string, object>;
  /** Headers of every answer, with their descriptions. */
  headers: Record<string, string>;
}

const ORIGINS: Readonly<Record<PublicListener, Origin>> = {
  api: {
    security: [{ bearer: [] }, { header: [] }, { query: [] }],
    securitySchemes: {
      bearer: { type: 'http', scheme: 'bearer', description: 'An API key' },
      header: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
      query: {
        type: 'apiKey',
        in: 'query',
        name: 'apiKey',
        description: 'Proxies and browsers store URLs, so a header is safer',
      },
    },
    headers: {
      'X-Request-Id': 'Id of this request',
      'X-Credits-Cost': 'Credits charged for this answer',
      'X-Credits-Remaining': 'The balance after it, where it is at hand',
      RateLimit: 'What is left of the limit, and for how many seconds',
    },
  },
  dashboard: {
    security: [{ session: [] }],
    securitySchemes: { session: { type: 'apiKey', in: 'cookie', name: '__Host-session' } },
    headers: {
      'X-Request-Id': 'Id of this request',
      'X-CSRF-Token': 'The token that the next call that changes something sends back',
    },
  },
};

const CSRF_PARAMETER = {
  name: 'x-csrf-token',
  in: 'header',
  required: true,
  description: 'The CSRF token from the previous response; the browser also sends the origin',
  schema: { type: 'string' },
};
const IDEMPOTENCY_PARAMETER = {
  name: 'idempotency-key',
  in: 'header',
  required: false,
  description: 'A repeat with the same key takes effect only once',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
};

/** OpenAPI 3.1 of the operations of one origin: each path, form, example and error of the table. */
export function openApi(operations: readonly Operation[], description: ApiDescription): object {
  const schemas = new Schemas();
  const problem = schemas.refer(ProblemAnswer);
  const origin = ORIGINS[description.listener];
  const url = description.origin.replace(/\/$/, '');
  const paths: Record<string, Record<string, unknown>> = {};
  // Machines that sign have a description of their own processor.
  const served = operations.filter(
    (row) => listenerOf(row) === description.listener && row.access.kind !== 'signed',
  );
  for (const operation of served) {
    for (const route of operation.routes) {
      const path = (paths[route.path] ??= {});
      const method = operation.method.toLowerCase();
      const described = describe(operation, route, { schemas, problem, origin, url });
      // OpenAPI knows one operation a path and method: those that a parameter tells apart are one to it.
      path[method] =
        path[method] === undefined ? described : merged(path[method] as Described, described);
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: description.title,
      version: description.version,
      ...(description.listener === 'api' && { description: introduction(served, url) }),
    },
    servers: [{ url: description.origin }],
    tags: groupsOf(served),
    paths,
    components: {
      schemas: schemas.all(),
      examples: Object.fromEntries(
        [...new Set(served.flatMap(problemsOf))].map((code) => [
          code,
          { value: problemExample(code, url) },
        ]),
      ),
      securitySchemes: origin.securitySchemes,
      headers: Object.fromEntries(
        Object.entries(origin.headers).map(([name, about]) => [
          name,
          { description: about, schema: { type: 'string' } },
        ]),
      ),
    },
  };
}

interface Context {
  schemas: Schemas;
  problem: JsonSchema;
  origin: Origin;
  /** Where it is served, without a slash at its end. */
  url: string;
}

type Described = ReturnType<typeof describe>;

function describe(operation: Operation, route: OperationRoute, context: Context) {
  const { schemas, problem, origin, url } = context;
  const { name, summary, description, access, parameters, body } = operation;
  const known = Object.entries(parameters).filter(([, { since = 1 }]) => since <= route.version);
  const isNewest = route === operation.routes[0];
  return {
    operationId: isNewest ? name : `${name}.v${route.version}`,
    summary,
    description: [description, priceSentence(operation)].filter(Boolean).join('\n\n'),
    tags: [groupOf(operation)],
    ...(route.successor && { deprecated: true }),
    security: access.kind === 'public' ? [] : origin.security,
    parameters: [
      ...known.map((entry) => parameterOf(entry, route, operation.examples[0].parameters)),
      ...headerParameters(operation),
    ],
    ...(body && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: schemas.refer(body.of), example: body.example } },
      },
    }),
    responses: {
      ...answersOf(operation, route, context),
      ...problemAnswers(problemsOf(operation), problem),
    },
    'x-operation': name,
    ...(listenerOf(operation) === 'api' && {
      'x-codeSamples': [{ lang: 'Shell', label: 'curl', source: curlOf(operation, route, url) }],
    }),
    ...(access.kind === 'key' && { 'x-scope': access.scope, 'x-rate-class': access.class }),
  };
}

/** @returns the price in a sentence, for people. */
export function priceSentence({ price }: Operation): string {
  if (price.per === 'free') return 'Free.';
  const { credits, per } = price;
  if (typeof credits === 'number')
    return `${credits} credit${credits === 1 ? '' : 's'} per ${per}.`;
  const words = Object.entries(credits.by).map(([word, amount]) => `${amount} with \`${word}\``);
  return `Priced per ${per}, by \`${credits.parameter}\`: ${words.join(', ')}.`;
}

interface DescribedParameter {
  name: string;
  in: string;
  required: boolean;
  description: string;
  schema: JsonSchema;
  example?: unknown;
}

/** @param asked what the operation's first example asks: a viewer fills in every example, and the whole must work. */
function parameterOf(
  [name, parameter]: [string, Parameter],
  { when }: OperationRoute,
  asked: object,
): DescribedParameter {
  const { kind, about, example, synonyms, isRequired = false, default: fallback } = parameter;
  const isInPath = parameter.in === 'path';
  const also = synonyms ? `. Also: ${synonyms.map((other) => `\`${other}\``).join(', ')}` : '';
  const isList = kind.schema.type === 'array';
  const required = isInPath || isRequired || when?.parameter === name;
  return {
    name,
    in: isInPath ? 'path' : 'query',
    required,
    description: about + also,
    schema: fallback === undefined ? kind.schema : { ...kind.schema, default: fallback },
    ...(isList && { style: 'form', explode: false }),
    ...((required || name in asked) && { example: typedExample(kind.schema, example) }),
  };
}

/** As the schema has it: what stands in a URL is text. */
function typedExample({ type }: JsonSchema, text: string): unknown {
  if (type === 'array') return text.split(',');
  return type === 'integer' || type === 'boolean' ? JSON.parse(text) : text;
}

/** What a browser's call needs beside its cookie. */
function headerParameters(operation: Operation): DescribedParameter[] {
  const isChange = listenerOf(operation) === 'dashboard' && operation.method !== 'GET';
  return [
    ...(isChange ? [CSRF_PARAMETER] : []),
    ...(operation.takesIdempotencyKey ? [IDEMPOTENCY_PARAMETER] : []),
  ];
}

function answersOf(
  operation: Operation,
  route: OperationRoute,
  { schemas, origin }: Context,
): Record<string, object> {
  if (operation.answers[0].type === 'redirect') {
    const headers = { Location: { schema: { type: 'string', format: 'uri' } } };
    return { 302: { description: 'Redirect to the answer', headers } };
  }
  const content = Object.fromEntries(
    operation.answers.map((form) => [form.type, contentOf(form, { operation, route, schemas })]),
  );
  const headers = Object.fromEntries(
    Object.keys(origin.headers).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );
  const [first] = operation.answers;
  const status = (first.type === 'application/json' && first.status) || 200;
  return { [status]: { description: 'The answer', headers, content } };
}

function contentOf(
  form: AnswerForm,
  { operation, route, schemas }: { operation: Operation; route: OperationRoute; schemas: Schemas },
) {
  switch (form.type) {
    case 'application/json': {
      const answer = schemas.refer(route.answer ?? form.of);
      const hasMeta = route.version === 2 && operation.price.per !== 'free';
      const meta = { type: 'object', properties: { meta: schemas.refer(AnswerMeta) } };
      const examples = operation.examples.map(({ title, answer: value }, place) => [
        `example${place + 1}`,
        { summary: title, value: hasMeta ? { ...value, meta: metaExample(operation) } : value },
      ]);
      return {
        schema: hasMeta ? { allOf: [answer, meta] } : answer,
        examples: Object.fromEntries(examples) as object,
      };
    }
    case 'application/x-ndjson':
      return {
        schema: { anyOf: [schemas.refer(form.of), schemas.refer(form.last)] },
        examples: lineExamples(operation),
      };
    case 'text/csv':
      return { schema: { type: 'string', description: `Columns: ${form.columns.join(', ')}` } };
    case 'application/octet-stream':
    case 'redirect':
      return { schema: { type: 'string', format: 'binary' } };
  }
}

function problemAnswers(codes: readonly ProblemCode[], problem: JsonSchema) {
  const byStatus = Map.groupBy(codes, (code) => PROBLEM_STATUS[code]);
  const answers = [...byStatus].map(([status, own]) => {
    const typed = {
      type: 'object',
      properties: { code: { enum: own }, status: { const: status } },
    };
    const examples = Object.fromEntries(
      own.map((code) => [code, { $ref: `#/components/examples/${code}` }]),
    );
    const schema = { allOf: [problem, typed] };
    const content = { 'application/problem+json': { schema, examples } };
    return [status, { description: own.map((code) => `\`${code}\``).join(', '), content }];
  });
  return Object.fromEntries(answers) as Record<string, object>;
}

/** Two operations of one path and method as one: the parameter that tells them apart takes the words of both. */
function merged(first: Described, second: Described): Described {
  const parameters = first.parameters.map((one) => {
    const other = second.parameters.find(({ name }) => name === one.name);
    if (other === undefined) return { ...one, required: false };
    const words = [one, other].flatMap(({ schema }) => (schema.enum as string[] | undefined) ?? []);
    return words.length === 0
      ? one
      : { ...one, schema: { ...one.schema, enum: [...new Set(words)] } };
  });
  const own = second.parameters.filter(({ name }) => !parameters.some((one) => one.name === name));
  return {
    ...first,
    summary: `${first.summary}; or: ${second.summary}`,
    parameters: [...parameters, ...own.map((one) => ({ ...one, required: false }))],
    responses: { ...second.responses, ...first.responses },
  };
}
