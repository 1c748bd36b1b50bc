import { existsSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { Validator } from '@seriousme/openapi-schema-validator';
import {
  DnsAnswer,
  KEY_CREATE,
  LOG_IN,
  OPERATIONS,
  type Operation,
  PRICING_QUOTE,
  type PublicListener,
  WEBHOOK_EVENTS,
  WEBHOOK_TEST_EVENT,
  WHOIS_HISTORY,
  WHOIS_LIVE,
  WHOIS_REVERSE,
  listenerOf,
  openApi,
  subjectsOf,
} from '#libs/contracts';

interface Described {
  operationId: string;
  parameters: {
    name: string;
    in: string;
    required: boolean;
    schema: { type?: string };
    example?: unknown;
  }[];
  security: object[];
  requestBody?: { content: Record<string, { schema: object; example: unknown }> };
  description: string;
  responses: Record<string, { description: string; content?: Record<string, DescribedAnswer> }>;
  'x-scope'?: string;
  'x-codeSamples'?: { source: string }[];
}

interface DescribedAnswer {
  schema: { allOf: object[]; contentSchema: object };
  examples?: Record<string, { value?: unknown; $ref?: string }>;
}

interface Description {
  paths: Record<string, Record<string, Described>>;
  webhooks?: Record<string, Record<string, Described>>;
  info: { description?: string };
  tags: { name: string; description?: string }[];
  components: { schemas: Record<string, object>; examples: Record<string, { value: unknown }> };
}

type Schemas = { schemas: Record<string, DescribedSchema> };

interface DescribedSchema {
  description?: string;
  properties: Record<string, { description?: string }>;
}

const described = (listener: PublicListener) =>
  openApi(OPERATIONS, {
    title: 'A',
    version: '1',
    origin: 'https://a.test',
    listener,
  }) as Description;

function schemaJudge(document: Description) {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ ...document, $id: 'described' });
  // Compiling a schema takes a hundred times as long as validating with it.
  const judges = new Map<string, ValidateFunction>();
  return (schema: object, value: unknown) => {
    const absolute = JSON.stringify(schema).replaceAll('"#/', '"described#/');
    const judge = judges.get(absolute) ?? ajv.compile(JSON.parse(absolute) as object);
    judges.set(absolute, judge);
    return judge(value) ? [] : judge.errors;
  };
}

describe.each(['api', 'dashboard'] as const)('the description of the %s', (listener) => {
  const document = described(listener);

  it('members of answers and bodies are described by their comments', () => {
    const { schemas } = document.components as unknown as Schemas;
    const [name, member] = listener === 'api' ? ['ProblemAnswer', 'type'] : ['CodeRequest', 'code'];
    expect(schemas[name].properties[member].description).toMatch(/^(The URL of a page|Six digits)/);
    // The comment belongs to a member of a superclass.
    if (listener === 'api') {
      expect(schemas.ReverseDomain.properties.first_seen.description).toBe('RFC 3339.');
      expect(schemas.ReverseDomain.description).toMatch(/^A found name/);
    }
  });

  it('the description is valid OpenAPI 3.1', async () => {
    const plain = JSON.parse(JSON.stringify(document)) as Record<string, unknown>;
    const { valid, errors } = await new Validator().validate(plain);
    expect([valid, errors]).toEqual([true, undefined]);
    const broken = { ...plain, paths: { '/a': { get: { responses: 5 } } } };
    expect((await new Validator().validate(broken)).valid).toBe(false);
  });

  it('the description has exactly the operations that the origin serves, with their bodies and statuses', () => {
    const rows = OPERATIONS.filter(
      (row) => listenerOf(row) === listener && row.access.kind !== 'signed',
    );
    const addresses = rows.flatMap(({ method, routes }) =>
      routes.map(({ path }) => `${method} ${path}`),
    );
    const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(new Set(documented)).toEqual(new Set(addresses));
    for (const { method, routes, body, upload, answers } of rows) {
      const { requestBody, responses } = document.paths[routes[0].path][method.toLowerCase()];
      expect([routes[0].path, requestBody !== undefined]).toEqual([
        routes[0].path,
        body !== undefined || (upload?.types.length ?? 0) > 0,
      ]);
      const [form] = answers;
      const own = 'status' in form ? form.status : undefined;
      expect(responses).toHaveProperty(String(own ?? 200));
    }
  });

  it('every operation has an example of its request and of each answer, and all match their schemas', () => {
    const faultsOf = schemaJudge(document);
    for (const { at, operation } of operationsOf(document)) {
      const { parameters, requestBody } = operation;
      for (const { name, schema, example } of parameters.filter((one) => 'example' in one)) {
        expect([at, name, faultsOf(schema, example)]).toEqual([at, name, []]);
      }
      const body = requestBody?.content['application/json'];
      if (body) expect([at, faultsOf(body.schema, body.example)]).toEqual([at, []]);
    }
    const answers = operationsOf(document).flatMap(answersOf);
    for (const { at, schema, values } of answers) {
      expect([at, values.length > 0]).toEqual([at, true]);
      for (const value of values) expect([at, faultsOf(schema, value)]).toEqual([at, []]);
    }
    expect(answers.length).toBeGreaterThan(100);
  });

  it('a stream is described separately from the JSON answer, and each line of its example matches its schema', () => {
    const streams = operationsOf(document).flatMap(({ at, operation }) =>
      Object.values(operation.responses)
        .flatMap(({ content = {} }) => content['application/x-ndjson'] ?? [])
        .map(({ schema, examples = {} }) => ({ at, schema, examples })),
    );
    for (const { at, schema, examples } of streams) {
      expect(schema).toMatchObject({ type: 'string', contentMediaType: 'application/x-ndjson' });
      const judge = schemaJudge(document);
      const texts = Object.values(examples).map(({ value }) => value as string);
      const lines = texts.flatMap((text) => text.trimEnd().split('\n'));
      expect([at, lines.length > 2]).toEqual([at, true]);
      for (const line of lines) {
        expect([at, judge(schema.contentSchema, JSON.parse(line))]).toEqual([at, []]);
        expect(judge(schema.contentSchema, { status: true })).not.toEqual([]);
      }
      const meta = { request_id: 'req_1', credits_charged: 1, price_version: '1' };
      expect(judge(schema.contentSchema, { error: 'broken_off', meta })).toEqual([]);
    }
    expect(streams.length).toBe(listener === 'api' ? 6 : 0);
  });

  it('examples of parameters form a valid call: each required parameter has an example, and so has one of the parameters that exclude each other', () => {
    const filledIn = new Map([
      ['get /v2.0/dns/live', ['domainName']],
      ['get /v2.0/whois/live', ['domainName']],
      ['get /v1.0/whois', ['domainName', 'whois']],
    ]);
    const filled = operationsOf(document).filter(({ at }) => filledIn.has(at));
    const exampleNames = filled.map(({ at, operation: { parameters } }) => [
      at,
      parameters.filter((one) => 'example' in one).map(({ name }) => name),
    ]);
    expect(new Map(exampleNames as [string, string[]][])).toEqual(
      listener === 'api' ? filledIn : new Map(),
    );
  });

  const operationsOf = ({ paths }: Description) =>
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        at: `${method} ${path}`,
        operation,
      })),
    );

  const answersOf = ({ at, operation }: { at: string; operation: Described }) =>
    Object.entries(operation.responses).flatMap(([status, { content = {} }]) =>
      Object.entries(content)
        .filter(([type]) => type.endsWith('json'))
        .map(([, { schema, examples = {} }]) => ({
          at: `${at} ${status}`,
          schema,
          values: Object.values(examples).map(valueOf),
        })),
    );

  const valueOf = (example: { value?: unknown; $ref?: string }) =>
    example.$ref === undefined
      ? example.value
      : document.components.examples[example.$ref.split('/').at(-1)!].value;

  it('every reference leads to a schema, and no operation id is repeated', () => {
    const text = JSON.stringify(document);
    for (const [, name] of text.matchAll(/#\/components\/schemas\/(\w+)/g)) {
      expect(document.components.schemas).toHaveProperty(name);
    }
    const ids = Object.values(document.paths).flatMap((path) =>
      Object.values(path).map(({ operationId }) => operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('the API description', () => {
  const document = described('api');

  it('the description begins with the basics for newcomers, including every fixture, and links to the error pages', () => {
    const { description = '' } = document.info;
    for (const title of [
      'Authentication',
      'Credits and prices',
      'Rate limits',
      'Errors',
      'Paging',
    ]) {
      expect(description).toContain(`### ${title}\n`);
    }
    const fixtures = OPERATIONS.flatMap((row) => row.fixtures ?? []);
    for (const { value, answers } of fixtures)
      expect(description).toContain(`\`${value}\` | ${answers}`);
    for (const [, code] of description.matchAll(/https:\/\/a\.test\/errors\/(\w+)/g)) {
      expect([code, existsSync(`docs/errors/${code}.md`)]).toEqual([code, true]);
    }
    expect(document.tags.filter((tag) => tag.description === undefined)).toEqual([]);
  });

  it('every event that a webhook receives is described, with an example that matches its schema', () => {
    const faultsOf = schemaJudge(document);
    const events = Object.entries(document.webhooks!);
    expect(events.map(([type]) => type)).toEqual([...WEBHOOK_EVENTS, WEBHOOK_TEST_EVENT]);
    for (const [type, { post }] of events) {
      const { schema, example } = post.requestBody!.content['application/json'];
      expect([type, faultsOf(schema, example)]).toEqual([type, []]);
      expect(faultsOf(schema, { type, timestamp: '', data: {} })).not.toEqual([]);
    }
    expect(described('dashboard').webhooks).toBeUndefined();
  });

  it('whole numbers have 64 bits, which prices need, and the further members of errors are described', () => {
    const { schemas } = document.components as unknown as Schemas;
    expect(schemas.ProblemAnswer.properties.credits_required.description).toMatch(/^Only for/);
    const price = { type: 'integer', format: 'int64' };
    expect(schemas.PriceListTier.properties.package_micros).toMatchObject(price);
  });

  it('the examples of operations with a price are fixtures, which cost nothing', () => {
    const priced = OPERATIONS.filter(
      ({ price, access }) => price.per !== 'free' && access.kind === 'key',
    );
    for (const row of priced) {
      const [{ parameters = {} as Record<string, string> }] = row.examples as Operation['examples'];
      const asked = subjectsOf(row).filter((name) => name in parameters);
      const others = asked.filter(
        (name) => row.parameters[name].kind.isFixture?.(parameters[name]) === false,
      );
      const { method, routes } = row;
      const { responses } = document.paths[routes[0].path][method.toLowerCase()];
      const answers = JSON.stringify(responses['200'].content!['application/json'].examples);
      expect([row.name, others]).toEqual([row.name, []]);
      expect(answers).toContain('"credits_charged":0');
      expect(answers).not.toMatch(/"credits_charged":[1-9]/);
    }
  });

  it('every operation has a shell command, with the key in a header and its body', () => {
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, { security, requestBody, ...rest }] of Object.entries(methods)) {
        const [{ source }] = rest['x-codeSamples']!;
        expect(source).toContain(`"https://a.test${path.split('{')[0]}`);
        expect([path, method, source.includes('Bearer $KEY')]).toEqual([
          path,
          method,
          security.length > 0,
        ]);
        expect([path, method, / -d | -F |--data-binary /.test(source)]).toEqual([
          path,
          method,
          requestBody !== undefined,
        ]);
      }
    }
  });

  it('the description of an operation has every parameter of its version and a type for each error', () => {
    const { parameters, responses } = document.paths['/v2.0/whois/live'].get;
    expect(parameters.map(({ name }) => name)).toEqual(Object.keys(WHOIS_LIVE.parameters));
    for (const status of ['400', '401', '402', '403', '422', '429', '503', '504']) {
      const schema = responses[status].content!['application/problem+json'].schema;
      expect(JSON.stringify(schema.allOf[1])).toContain('"enum":[');
    }
    const first = document.paths['/v1.0/whois'].get;
    const ofPath = [WHOIS_LIVE, WHOIS_HISTORY, WHOIS_REVERSE] as Operation[];
    const known = ofPath.flatMap(({ parameters: own }) =>
      Object.entries(own).flatMap(([name, { since = 1 }]) => (since === 1 ? [name] : [])),
    );
    expect(first.parameters.map(({ name }) => name)).toEqual([...new Set(known)]);
    const quote = document.paths[PRICING_QUOTE.routes[0].path].get;
    expect(Object.keys(quote.responses)).not.toContain('401');
  });
});

it('two operations with the same path are one operation in OpenAPI, with the descriptions, prices, answers and rejections of both', () => {
  const [, first] = WHOIS_LIVE.routes;
  const twin: Operation = {
    ...WHOIS_LIVE,
    name: 'twin',
    routes: [{ ...first, when: { parameter: 'whois', value: 'twin' }, answer: DnsAnswer }],
    access: { kind: 'key', scope: 'reverse', class: 'heavy' },
    price: { per: 'page', credits: 5 },
    problems: ['bogon_address'],
  };
  const { paths } = openApi([WHOIS_LIVE, twin], {
    title: 'A',
    version: '1',
    origin: 'https://a.test',
    listener: 'api',
  }) as Description;
  const { description, responses, ...other } = paths[first.path].get;
  expect(description).toMatch(/`live`.+scope `whois`, class `live`.+\n1 credit per answer\./s);
  expect(description).toMatch(/`twin`.+scope `reverse`, class `heavy`.+\n5 credits per page\./s);
  expect(other['x-scope']).toBeUndefined();
  expect(responses['422'].description).toMatch(/^`.*`tld_unsupported`.*`bogon_address`$/);
  const answer = JSON.stringify(responses['200'].content?.['application/json'].schema);
  expect(answer).toContain('/WhoisAnswerV1"');
  expect(answer).toContain('/DnsAnswer"');
  const refused = JSON.stringify(responses['422'].content?.['application/problem+json'].schema);
  expect(refused).toContain('"tld_unsupported"');
  expect(refused).toContain('"bogon_address"');
});

describe('rejections of the API', () => {
  const { paths } = described('api');
  const codes = (path: string, method: string) =>
    JSON.stringify(paths[path][method].responses['422']?.content?.['application/problem+json']);

  it.each([
    ['/v2.0/whois/live', 'get'],
    ['/v2.0/bulkwhois/live', 'post'],
    ['/v2.0/dns/bulk/live', 'post'],
    ['/v2.0/domain/availability', 'get'],
    ['/v2.0/domain/availability', 'post'],
  ])(
    '%s (%s) lists the problems of a test key, and the problems of requests that only a test key may make',
    (path, method) => {
      expect(codes(path, method)).toContain('"test_key_fixture_only"');
      expect(codes(path, method)).toContain('"fixture_needs_test_key"');
    },
  );

  it('an operation without a subject lists neither kind of problem', () => {
    expect(codes('/v2.0/account/usage', 'get')).toBeUndefined();
  });
});

describe('the description of the dashboard', () => {
  const { paths } = described('dashboard');

  it('every call may be rejected because too many others are in progress', () => {
    for (const [path, methods] of Object.entries(paths)) {
      for (const { responses } of Object.values(methods)) {
        const codes = ['429', '503'].map((status) => JSON.stringify(responses[status]?.content));
        const expected = [
          expect.stringContaining('too_busy'),
          expect.stringContaining('overloaded'),
        ];
        expect([path, ...codes]).toEqual([path, ...expected]);
      }
    }
  });

  it('S29, S35: the description names the calls that need the token, and those that need a recent password', () => {
    const { security, parameters, responses } = paths[KEY_CREATE.routes[0].path].post;
    expect(security).toEqual([{ session: [] }]);
    expect(parameters.map(({ name }) => name)).toEqual(['X-CSRF-Token', 'Idempotency-Key']);
    expect(JSON.stringify(responses['403'])).toContain('reauthentication_required');
    const list = paths[KEY_CREATE.routes[0].path].get;
    expect(list.parameters.map(({ name }) => name)).toEqual(['page_size', 'cursor']);
    expect(paths[LOG_IN.routes[0].path].post.security).toEqual([]);
  });
});
