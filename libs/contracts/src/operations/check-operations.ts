import { type FieldError, faultsOf } from '#libs/platform';
import { isMemberPath, itemMemberOf } from './reading/answer-members.js';
import { InputReader } from './reading/input-reader.js';
import type { DataClass } from './parameter.js';
import { type Operation, type OperationRoute, kindOf, subjectsOf } from './operation.js';
import { PAGE_PARAMETERS } from './paging/paged-search.js';
import type { Credits } from './price.js';

const BRACES = /\{(\w+)\}/g;

/** The error for a table whose rows contradict themselves or one another. */
export class OperationFaults extends Error {
  constructor(readonly faults: readonly string[]) {
    super(`the table of operations is not valid:\n${faults.join('\n')}`);
  }
}

/** Tables that were found to be valid. Several listeners of one process serve the same table, which is checked once. */
const VALID = new WeakSet<readonly Operation[]>();

/**
 * Checks the whole table before it is used: names, paths, prices, pages, transfers, parameters and examples.
 * @throws OperationFaults naming every fault.
 */
export function checkOperations(operations: readonly Operation[]): void {
  if (VALID.has(operations)) return;
  const faults = [
    ...repeated(operations.map(({ name }) => name)).map(
      (name) => `${name}: two rows have this name`,
    ),
    ...samePaths(operations),
    ...operations.flatMap((row) =>
      [
        ...pathFaults(row),
        ...priceFaults(row),
        ...pagingFaults(row),
        ...transferFaults(row),
        ...parameterFaults(row),
        ...exampleFaults(row),
        ...secretFaults(row),
      ].map((fault) => `${row.name}: ${fault}`),
    ),
  ];
  if (faults.length > 0) throw new OperationFaults(faults);
  VALID.add(operations);
}

function samePaths(operations: readonly Operation[]): string[] {
  const addresses = operations.flatMap(({ method, routes }) =>
    routes.flatMap(({ path, when }) => {
      const address = `${method} ${path.replaceAll(BRACES, '{}')}`;
      if (when === undefined) return [address];
      return [when.value, ...(when.further ?? [])].map(
        (value) => `${address}?${when.parameter}=${value}`,
      );
    }),
  );
  return repeated(addresses).map((address) => `${address}: two operations have this address`);
}

const bracesOf = (path: string) => [...path.matchAll(BRACES)].map(([, name]) => name).sort();

function pathFaults({ routes, owner, parameters }: Operation): string[] {
  const declared = Object.keys(parameters).filter((name) => parameters[name].in === 'path');
  const wanted = declared.sort().join();
  const faultOf = ({ path, when }: OperationRoute) => [
    ...(bracesOf(path).join() === wanted
      ? []
      : [`${path} has parameters that differ from the row`]),
    ...(when && !(when.parameter in parameters)
      ? [`${when.parameter} distinguishes no operations`]
      : []),
  ];
  const isLost = bracesOf(owner.path).some((name) => !declared.includes(name));
  return [
    ...(routes.length === 0 ? ['has no path'] : []),
    ...routes.flatMap(faultOf),
    ...(isLost ? [`${owner.path} needs a parameter that the row does not have`] : []),
  ];
}

function priceFaults({ price, access, fixtures, parameters, body }: Operation): string[] {
  // A row may come from plain JavaScript, or from a cast.
  if ((price as unknown) === undefined) return ['has no price'];
  if (price.per === 'free') return [];
  if (access.kind !== 'key') return ['has a price, but no payer'];
  const hasFixtures = fixtures !== undefined || body?.subjects !== undefined;
  const faults = hasFixtures ? [] : ['has a price, but nothing that a test key may request'];
  return [...faults, ...amountFaults(price.credits, parameters)];
}

function amountFaults(credits: Credits, parameters: Operation['parameters']): string[] {
  if (typeof credits === 'number') {
    const isWhole = Number.isInteger(credits) && credits >= 0;
    return isWhole ? [] : ['has a price that is not a whole number of credits'];
  }
  const { parameter, by } = credits;
  const words = (parameters[parameter]?.kind.schema.enum ?? []) as string[];
  if (words.length === 0) return [`its price depends on ${parameter}, which has no words`];
  return [
    ...words
      .filter((word) => !Object.hasOwn(by, word))
      .map((word) => `${parameter}=${word} has no price`),
    ...Object.values(by).flatMap((amount) => amountFaults(amount, parameters)),
  ];
}

function pagingFaults({ paged, price, method, parameters, answers }: Operation): string[] {
  const isList = 'cursor' in parameters;
  if (paged === undefined && !isList) {
    return price?.per === 'page' ? ['is paid per page, but has no pages'] : [];
  }
  const wanted = paged ? ['mode', ...PAGE_PARAMETERS] : ['page_size'];
  const [form] = answers;
  const members = ['paging.total_is', ...(paged ? ['coverage.has_data', 'preview'] : [])];
  const has = (path: string) => form.type === 'application/json' && isMemberPath(form.of, path);
  return [
    ...(method === 'GET' ? [] : ['has pages, which only GET supports']),
    ...wanted
      .filter((name) => !(name in parameters))
      .map((name) => `has pages, but no parameter ${name}`),
    ...members.filter((one) => !has(one)).map((one) => `has pages, and no ${one} in its answer`),
  ];
}

function transferFaults(row: Operation): string[] {
  const { method, upload, body, answers, price } = row;
  const kind = kindOf(row);
  const files = answers.filter(({ type }) => type === 'file');
  const isBounded = !upload?.types.length || upload.limitBytes > 0;
  return [
    ...(kind !== 'answer' && price?.per !== 'free'
      ? ['has a price, but uploads and files are free']
      : []),
    ...(upload && body ? ['has two bodies'] : []),
    ...(isBounded ? [] : ['has a body without a limit']),
    ...(files.length > 0 && (method !== 'GET' || answers.length > 1)
      ? ['has a file beside another answer, or not for GET']
      : []),
    ...(method === 'HEAD' && !upload ? ['answers HEAD, but is not an upload'] : []),
  ];
}

function parameterFaults(operation: Operation): string[] {
  const { parameters } = operation;
  const names = Object.entries(parameters).flatMap(([name, { synonyms = [] }]) => [
    name,
    ...synonyms,
  ]);
  const wrong = Object.entries(parameters).filter(
    ([, { kind, example }]) => kind.fault(kind.clean?.(example) ?? example) !== undefined,
  );
  return [
    ...repeated(names).map((name) => `two parameters are named ${name}`),
    ...wrong.map(([name]) => `the example of ${name} is refused`),
    ...subjectsOf(operation)
      .filter((name) => !(name in parameters))
      .map((name) => `${name} is not a parameter`),
  ];
}

function exampleFaults(operation: Operation): string[] {
  const { examples, answers, body, fixtures = [] } = operation;
  if (examples.length === 0) return ['has no example'];
  const reader = new InputReader(operation);
  const [form] = answers;
  return [
    ...fixtures
      .filter(({ value }) => !isFixtureOf(operation, value))
      .map(({ value }) => `${value} is not a fixture of its subject's kind`),
    ...(body ? named('the example of its body', faultsOf(body.of, body.example)) : []),
    ...examples.flatMap(({ title, parameters, answer, body: sent }) => [
      ...named(title, reader.read(Object.keys(parameters), Object.values(parameters)).faults ?? []),
      ...(body && sent ? named(title, faultsOf(body.of, sent)) : []),
      ...(form.type === 'application/json' ? named(title, answerFaults(form.of, answer)) : []),
    ]),
  ];
}

function secretFaults({ secretMember, answers: [form] }: Operation): string[] {
  if (secretMember === undefined) return [];
  const isMember = form.type === 'application/json' && isMemberPath(form.of, secretMember);
  return isMember ? [] : [`has no ${secretMember} in its answer`];
}

/**
 * Returns the faults of an example answer. An answered item also has the members of a single answer, which the item's
 * class does not declare.
 */
function answerFaults(type: DataClass, answer: object): FieldError[] {
  const item = itemMemberOf(type);
  if (item === undefined) return faultsOf(type, answer);
  const items = (answer as Record<string, { index: number; status: boolean }[]>)[item.member];
  const refused = items.map((one) => (one.status ? { index: one.index, status: one.status } : one));
  const answered = items.filter(({ status }) => status);
  return [
    ...faultsOf(type, { ...answer, [item.member]: refused }),
    ...answered.flatMap((one) => faultsOf(item.of.answer, withoutIndex(one))),
  ];
}

const withoutIndex = (item: object) =>
  Object.fromEntries(Object.entries(item).filter(([name]) => name !== 'index'));

function isFixtureOf(operation: Operation, value: string): boolean {
  const kinds = subjectsOf(operation).map((name) => operation.parameters[name]?.kind);
  return kinds.some((kind) => kind?.fault(value) === undefined && kind?.isFixture?.(value));
}

const named = (title: string, faults: readonly FieldError[]) =>
  faults.map(({ field, message }) => `"${title}" is refused: ${field} ${message}`);

const repeated = (texts: readonly string[]) => [
  ...new Set(texts.filter((text, place) => texts.indexOf(text) !== place)),
];
