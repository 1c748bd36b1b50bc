import { type FieldError, faultsOf } from '#libs/platform';
import { InputReader } from './reading/input-reader.js';
import { type Operation, type OperationRoute, subjectsOf } from './operation.js';

const BRACES = /\{(\w+)\}/g;

/** Rows of the table that contradict themselves or one another. */
export class OperationFaults extends Error {
  constructor(readonly faults: readonly string[]) {
    super(`the table of operations is not sound:\n${faults.join('\n')}`);
  }
}

/**
 * Judges the whole table before anything is served by it: equal paths, missing prices, examples that their own
 * schemas refuse, parameters that lead nowhere.
 * @throws OperationFaults naming every fault.
 */
export function checkOperations(operations: readonly Operation[]): void {
  const faults = [
    ...repeated(operations.map(({ name }) => name)).map(
      (name) => `${name}: two rows have this name`,
    ),
    ...samePaths(operations),
    ...operations.flatMap((row) =>
      [...pathFaults(row), ...priceFaults(row), ...parameterFaults(row), ...exampleFaults(row)].map(
        (fault) => `${row.name}: ${fault}`,
      ),
    ),
  ];
  if (faults.length > 0) throw new OperationFaults(faults);
}

function samePaths(operations: readonly Operation[]): string[] {
  const addresses = operations.flatMap(({ method, routes }) =>
    routes.map(({ path, when }) => {
      const choice = when ? `?${when.parameter}=${when.value}` : '';
      return `${method} ${path.replaceAll(BRACES, '{}')}${choice}`;
    }),
  );
  return repeated(addresses).map((address) => `${address}: two operations have this address`);
}

const bracesOf = (path: string) => [...path.matchAll(BRACES)].map(([, name]) => name).sort();

function pathFaults({ routes, owner, parameters }: Operation): string[] {
  const declared = Object.keys(parameters).filter((name) => parameters[name].in === 'path');
  const wanted = declared.sort().join();
  const faultOf = ({ path, when }: OperationRoute) => [
    ...(bracesOf(path).join() === wanted ? [] : [`${path} has other parameters than the row`]),
    ...(when && !(when.parameter in parameters) ? [`${when.parameter} tells nothing apart`] : []),
  ];
  const isLost = bracesOf(owner.path).some((name) => !declared.includes(name));
  return [
    ...(routes.length === 0 ? ['has no path'] : []),
    ...routes.flatMap(faultOf),
    ...(isLost ? [`${owner.path} needs a parameter that the row has not`] : []),
  ];
}

function priceFaults({ price, access, fixtures, parameters, body }: Operation): string[] {
  // A row may come from plain JavaScript, or through a cast.
  if ((price as unknown) === undefined) return ['has no price'];
  if (price.per === 'free') return [];
  if (access.kind !== 'key') return ['has a price, but nobody pays it'];
  const hasFixtures = fixtures !== undefined || body?.subjects !== undefined;
  const faults = hasFixtures ? [] : ['has a price, and nothing that a test key may ask'];
  const { credits } = price;
  const amounts = typeof credits === 'number' ? [credits] : Object.values(credits.by);
  if (amounts.length === 0 || !amounts.every((amount) => Number.isInteger(amount) && amount >= 0)) {
    faults.push('has a price that is no whole number of credits');
  }
  if (typeof credits === 'number') return faults;
  const words = (parameters[credits.parameter]?.kind.schema.enum ?? []) as string[];
  const unpriced = words.filter((word) => !Object.hasOwn(credits.by, word));
  if (words.length === 0)
    faults.push(`its price depends on ${credits.parameter}, which has no words`);
  return [...faults, ...unpriced.map((word) => `${credits.parameter}=${word} has no price`)];
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
      .map((name) => `${name} is no parameter`),
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
      .map(({ value }) => `${value} is no fixture of its subject's kind`),
    ...(body ? named('the example of its body', faultsOf(body.of, body.example)) : []),
    ...examples.flatMap(({ title, parameters, answer, body: sent }) => [
      ...named(title, reader.read(Object.keys(parameters), Object.values(parameters)).faults ?? []),
      ...(body && sent ? named(title, faultsOf(body.of, sent)) : []),
      ...(form.type === 'application/json' ? named(title, faultsOf(form.of, answer)) : []),
    ]),
  ];
}

function isFixtureOf(operation: Operation, value: string): boolean {
  const kinds = subjectsOf(operation).map((name) => operation.parameters[name]?.kind);
  return kinds.some((kind) => kind?.fault(value) === undefined && kind?.isFixture?.(value));
}

const named = (title: string, faults: readonly FieldError[]) =>
  faults.map(({ field, message }) => `"${title}" is refused: ${field} ${message}`);

const repeated = (texts: readonly string[]) => [
  ...new Set(texts.filter((text, place) => texts.indexOf(text) !== place)),
];
