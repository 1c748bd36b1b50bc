import { counted } from '#libs/platform';
import { type PublicListener, listenerOf } from '../access.js';
import { headerComponents } from './answer-headers.js';
import { eitherResponses, responsesOf } from './answers.js';
import type { Operation, OperationRoute } from '../operation.js';
import { exampleCall } from '../calls/api-call.js';
import { LANGUAGES, type Language, callSamples } from '../calls/call-samples.js';
import { problemExample } from './examples.js';
import { groupOf, groupsOf, introduction } from './introduction.js';
import type { JsonSchema, Parameter } from '../parameter.js';
import { type Credits, pricedUnit } from '../price.js';
import { problemsOf } from './operation-problems.js';
import { Schemas } from './schemas.js';
import { type DescribedParameter, transferParameters, uploadBody } from './transfer-answers.js';
import { receivedRequests } from '../webhooks/received-requests.js';
import { WEBHOOK_CREATE } from '../webhooks/webhooks.js';

export interface ApiDescription {
  title: string;
  version: string;
  origin: string;
  listener: PublicListener;
}

interface Origin {
  /** Each of these alone grants access. */
  security: readonly Record<string, readonly string[]>[];
  securitySchemes: Record<string, object>;
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
  },
  dashboard: {
    security: [{ session: [] }],
    securitySchemes: { session: { type: 'apiKey', in: 'cookie', name: '__Host-session' } },
  },
};

const CSRF_PARAMETER = {
  name: 'X-CSRF-Token',
  in: 'header',
  required: true,
  description: 'The CSRF token from the previous response; the browser also sends the origin',
  schema: { type: 'string' },
};
const IDEMPOTENCY_PARAMETER = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'Equal requests with the same key take effect only once',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
};

/**
 * Returns the OpenAPI 3.1 description of the operations of one origin: each path, form, example and error of the table.
 */
export function openApi(operations: readonly Operation[], description: ApiDescription): object {
  const origin = ORIGINS[description.listener];
  const url = description.origin.replace(/\/$/, '');
  const paths: Record<string, Record<string, unknown>> = {};
  // Callbacks are left out, because the processors that send them describe them.
  const served = operations.filter(
    (row) => listenerOf(row) === description.listener && row.access.kind !== 'signed',
  );
  const schemas = new Schemas(served.flatMap(selectedFrom));
  // Bodies come first, because some of their classes are also answers (see `refer`).
  for (const { body } of served) if (body) schemas.refer(body.of, 'body');
  for (const operation of served) {
    for (const route of operation.routes) {
      const path = (paths[route.path] ??= {});
      const method = operation.method.toLowerCase();
      const described = describe(operation, route, { schemas, origin, url });
      // OpenAPI allows one operation per path and method, so operations that only a parameter distinguishes are merged.
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
    ...(served.includes(WEBHOOK_CREATE) && {
      webhooks: receivedRequests((type) => schemas.refer(type)),
    }),
    components: {
      schemas: schemas.all(),
      examples: Object.fromEntries(
        [...new Set(served.flatMap(problemsOf))].map((code) => [
          code,
          { value: problemExample(code, url) },
        ]),
      ),
      securitySchemes: origin.securitySchemes,
      headers: headerComponents(),
    },
  };
}

interface Context {
  schemas: Schemas;
  origin: Origin;
  /** The URL of the origin, without a trailing slash. */
  url: string;
}

type Described = ReturnType<typeof describe>;

function describe(operation: Operation, route: OperationRoute, context: Context) {
  const { schemas, origin, url } = context;
  const { name, summary, description, access, parameters, body, upload } = operation;
  const known = Object.entries(parameters).filter(([, { since = 1 }]) => since <= route.version);
  return {
    operationId: idOf(operation, route),
    summary,
    description: [choiceOf(operation, route), description, priceSentence(operation)]
      .filter(Boolean)
      .join('\n\n'),
    tags: [groupOf(operation)],
    ...(route.successor && { deprecated: true }),
    security: securityOf(operation, origin),
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
    ...(upload?.types.length && { requestBody: uploadBody(upload) }),
    responses: responsesOf({ operation, route, schemas }),
    'x-operation': name,
    ...(listenerOf(operation) === 'api' && {
      'x-codeSamples': codeSamples(operation, route, url),
    }),
    ...(access.kind === 'key' && { 'x-scope': access.scope, 'x-rate-class': access.class }),
  };
}

function securityOf({ access }: Operation, { security }: Origin): Origin['security'] {
  if (access.kind === 'public') return [];
  const isHeaderOnly = access.kind === 'key' && access.managesKeys;
  return isHeaderOnly ? security.filter((way) => !('query' in way)) : security;
}

/** Returns an id for each path of an operation: `whois.bulk`, `whois.bulk.v1`, `whois.bulk.v1.2`. */
function idOf({ name, routes }: Operation, route: OperationRoute): string {
  if (route === routes[0]) return name;
  const place = routes.filter(({ version }) => version === route.version).indexOf(route) + 1;
  return `${name}.v${route.version}${place > 1 ? `.${place}` : ''}`;
}

/** Says how a call selects one of the operations with its path, which may have other scopes, classes and prices. */
function choiceOf({ access }: Operation, { when }: OperationRoute): string | undefined {
  if (!when) return undefined;
  const words = [when.value, ...(when.further ?? [])].map((word) => `\`${word}\``).join(', ');
  const needed =
    access.kind === 'key' ? ` (scope \`${access.scope}\`, class \`${access.class}\`)` : '';
  return `**With \`${when.parameter}\` ${words}**${needed}:`;
}

const HIGHLIGHTED: Readonly<Record<Language, string>> = {
  curl: 'Shell',
  Node: 'JavaScript',
  Python: 'Python',
  Go: 'Go',
};

function codeSamples(operation: Operation, route: OperationRoute, url: string) {
  const samples = callSamples(exampleCall(url, operation, route));
  return LANGUAGES.map((label) => ({
    lang: HIGHLIGHTED[label],
    label,
    source: samples[label],
  }));
}

const selectedFrom = ({ parameters }: Operation) =>
  Object.values(parameters).flatMap(({ kind }) => kind.selectsFrom ?? []);

/** Returns the price as a readable sentence. */
export function priceSentence({ price }: Operation): string {
  if (price.per === 'free') return price.later ?? 'Free.';
  const { credits } = price;
  const unit = pricedUnit(price);
  if (typeof credits === 'number') return `${counted(credits, 'credit')} per ${unit}.`;
  return `Priced per ${unit}, by \`${credits.parameter}\`: ${amountsOf(credits)}.`;
}

/** Returns a phrase such as "1 with `mini`, by `type` with `default` (2 with `a`)". */
function amountsOf({ by }: Exclude<Credits, number>): string {
  const words = Object.entries(by).map(([word, amount]) =>
    typeof amount === 'number'
      ? `${amount} with \`${word}\``
      : `by \`${amount.parameter}\` with \`${word}\` (${amountsOf(amount)})`,
  );
  return words.join(', ');
}

/**
 * Describes a parameter. @param asked the request of the operation's first example: a viewer fills in every example,
 * and together they must be valid.
 */
function parameterOf(
  [name, parameter]: [string, Parameter],
  { when }: OperationRoute,
  asked: object,
): DescribedParameter {
  const { kind, about, example, synonyms, isRequired = false, default: fallback } = parameter;
  const isInPath = parameter.in === 'path';
  const also = synonyms ? `. Also: ${synonyms.map((other) => `\`${other}\``).join(', ')}` : '';
  const isList = kind.schema.type === 'array';
  const required = isInPath || isRequired || (when?.parameter === name && !when.isDefault);
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

/** Converts an example to the type of its schema, because values in a URL are text. */
function typedExample({ type }: JsonSchema, text: string): unknown {
  if (type === 'array') return text.split(',');
  return type === 'integer' || type === 'boolean' ? JSON.parse(text) : text;
}

/**
 * Returns the headers that a request may need besides the key or the cookie: the CSRF token, those of transfers, and
 * `Idempotency-Key`.
 */
function headerParameters(operation: Operation): DescribedParameter[] {
  const isRead = operation.method === 'GET' || operation.method === 'HEAD';
  const isChange = listenerOf(operation) === 'dashboard' && !isRead;
  return [
    ...(isChange ? [CSRF_PARAMETER] : []),
    ...transferParameters(operation),
    ...(operation.takesIdempotencyKey ? [IDEMPOTENCY_PARAMETER] : []),
  ];
}

/** Returns a parameter that the example call does not need: optional, and without an example. */
function withoutExample(one: DescribedParameter): DescribedParameter {
  const optional = { ...one, required: false };
  delete optional.example;
  return optional;
}

/** Returns a schema of the values that either of two parameters allows. */
function eitherSchema(first: JsonSchema, second: JsonSchema): JsonSchema {
  const words = [first, second].map(({ enum: own }) => own as string[] | undefined);
  if (words.every((own) => own !== undefined)) {
    return { ...first, enum: [...new Set(words.flat())] };
  }
  const isSame = JSON.stringify(first) === JSON.stringify(second);
  return isSame ? first : { anyOf: [first, second] };
}

const ofBoth = <T>(first: T, second: T): T | undefined => (first === second ? first : undefined);

/** Merges two operations with one path and method: the parameter that distinguishes them takes the words of both. */
function merged(first: Described, second: Described): Described {
  const parameters = first.parameters.map((one) => {
    const other = second.parameters.find(({ name }) => name === one.name);
    if (other === undefined) return { ...one, required: false };
    return { ...one, schema: eitherSchema(one.schema, other.schema) };
  });
  const own = second.parameters.filter(({ name }) => !parameters.some((one) => one.name === name));
  return {
    ...first,
    summary: `${first.summary}; or: ${second.summary}`,
    description: `${first.description}\n\n${second.description}`,
    'x-scope': ofBoth(first['x-scope'], second['x-scope']),
    'x-rate-class': ofBoth(first['x-rate-class'], second['x-rate-class']),
    // The examples are calls of the first operation.
    parameters: [...parameters, ...own.map(withoutExample)],
    responses: eitherResponses(first.responses, second.responses),
  };
}
