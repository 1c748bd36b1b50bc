import ts from 'typescript';
import {
  type SourceFile,
  decoratorsOf,
  isSpec,
  isTest,
  kindOf,
  nodesOf,
  place,
} from './source-tree.js';

const FILE_LINES_MAX = 400;
const SPEC_LINES_MAX = 600;
const FUNCTION_LINES_MAX = 70;
const DEPENDENCIES_MAX = 6;
const PARAMETERS_MAX = 5;

export function fileLengthFaults(files: SourceFile[]): string[] {
  return files
    .filter((file) => file.lines > (isSpec(file) ? SPEC_LINES_MAX : FILE_LINES_MAX))
    .map(({ path, lines }) => `${path}: ${lines} lines`);
}

/** Specs are left out, because their outermost function is the whole file. */
export function functionLengthFaults(files: SourceFile[]): string[] {
  return files
    .filter((file) => !isSpec(file))
    .flatMap((file) =>
      nodesOf(file, ts.isFunctionLike).flatMap((node) => {
        const { line: first } = file.syntax.getLineAndCharacterOfPosition(node.getStart());
        const { line: last } = file.syntax.getLineAndCharacterOfPosition(node.end);
        const lines = last - first + 1;
        return lines > FUNCTION_LINES_MAX ? [`${place(file, node)}: ${lines} lines`] : [];
      }),
    );
}

export function constructorFaults(files: SourceFile[]): string[] {
  return files.flatMap((file) =>
    nodesOf(file, ts.isConstructorDeclaration)
      .filter(({ parameters }) => parameters.length > DEPENDENCIES_MAX)
      .map((node) => `${place(file, node)}: ${node.parameters.length} dependencies`),
  );
}

/** The linter's limit is the one for constructors, which may take one parameter more. */
export function parameterFaults(files: SourceFile[]): string[] {
  return files.flatMap((file) =>
    nodesOf(file, ts.isFunctionLike)
      .filter((node) => !ts.isConstructorDeclaration(node))
      .filter(({ parameters }) => parameters.length > PARAMETERS_MAX)
      .map((node) => `${place(file, node)}: ${node.parameters.length} parameters`),
  );
}

const MARKERS = new RegExp(
  `\\b(${['TO' + 'DO', 'FIX' + 'ME', 'XX' + 'X', 'HA' + 'CK'].join('|')})\\b`,
);

export function markerFaults(files: SourceFile[]): string[] {
  return files.flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, index) => (MARKERS.test(line) ? [`${path}:${index + 1}`] : [])),
  );
}

const ENVIRONMENT_READERS =
  /^(libs\/platform\/src\/(config|crash-point)\.ts|apps\/[^/]+\/src\/main\.ts)/;

/**
 * Settings are read in one place, where all their faults are listed at once. Tests start processes. `CRASH_AT` is not a
 * setting: nobody configures it, and reading it must cost nothing.
 */
export function environmentFaults(files: SourceFile[]): string[] {
  return files
    .filter((file) => !isTest(file) && !ENVIRONMENT_READERS.test(file.path))
    .flatMap((file) =>
      nodesOf(file, ts.isPropertyAccessExpression)
        .filter((node) => node.getText() === 'process.env')
        .map((node) => place(file, node)),
    );
}

const CLOCK = 'libs/platform/src/clock.ts';

/**
 * Business time comes only from the injected clock, and durations from `monotonicMs`. `new Date(value)` only converts
 * and is allowed; a spec may falsify `Date.now` to show that nothing reads it.
 */
export function clockFaults(files: SourceFile[]): string[] {
  const judged = files.filter((file) => file.path !== CLOCK && !isTest(file));
  return judged.flatMap((file) => [
    ...nodesOf(file, ts.isNewExpression)
      .filter((node) => node.expression.getText() === 'Date' && !node.arguments?.length)
      .map((node) => place(file, node)),
    ...nodesOf(file, ts.isPropertyAccessExpression)
      .filter((node) => ['Date.now', 'performance.now'].includes(node.getText()))
      .map((node) => place(file, node)),
  ]);
}

/**
 * A property test starts from a seed in its source. New seeds, which may fail, are drawn only by `npm run sim` and `npm
 * run prove`, so that they never decide whether a commit lands.
 */
export function seedFaults(files: SourceFile[]): string[] {
  return files.filter(isTest).flatMap((file) =>
    nodesOf(file, ts.isCallExpression)
      .filter(({ expression }) =>
        /^fc\.(assert|check|sample|statistics)$/.test(expression.getText()),
      )
      .filter(({ arguments: [, options] }) => !isSeeded(options))
      .map((node) => `${place(file, node)}: no seed`),
  );
}

const isSeeded = (options: ts.Expression | undefined) =>
  options !== undefined &&
  ts.isObjectLiteralExpression(options) &&
  options.properties.some(({ name }) => name?.getText() === 'seed');

/** The files with an even timer, and the reason why it is not a `Loop`, which pauses between two runs. */
const TICKS: readonly [path: string, why: string][] = [
  ['apps/gateway/src/connection/plain-connections.ts', 'counts time-outs in ticks'],
  ['apps/gateway/src/lookup/lookup-pool.ts', 'counts time-outs in ticks'],
  ['libs/resolvers/src/dns/udp-server.ts', 'counts time-outs while a query is open'],
  ['libs/counters/src/valkey/', 'renews slices and probes the server, without waiting for either'],
  ['libs/messaging/src/transports/kafka/kafka-group.ts', 'sends heartbeats during a batch'],
  ['apps/gateway/src/request/01-shed.ts', 'measures the event loop, a second at a time'],
  ['apps/gateway/src/lease/', 'settles and closes leases on time while a call hangs'],
  ['apps/simulators/src/', 'never part of a production image'],
];

/** Repeated work must use a `Loop`, which never runs it twice at a time and logs a failure once. */
export function repetitionFaults(files: SourceFile[]): string[] {
  return files
    .filter((file) => !isTest(file) && !TICKS.some(([path]) => file.path.startsWith(path)))
    .flatMap((file) =>
      nodesOf(file, ts.isCallExpression)
        .filter(({ expression }) => expression.getText() === 'setInterval')
        .map((node) => `${place(file, node)}: setInterval instead of a Loop`),
    );
}

const RELATIONS = ['OneToOne', 'OneToMany', 'ManyToOne', 'ManyToMany', 'JoinColumn', 'JoinTable'];
const BANNED_CALLS = ['Global', 'forwardRef', ...RELATIONS];

/** Constructs that hide dependencies, and entities that import one another (they crash under ESM). */
export function constructFaults(files: SourceFile[]): string[] {
  return files.flatMap((file) => [
    ...nodesOf(file, ts.isCallExpression)
      .filter(({ expression }) => BANNED_CALLS.includes(expression.getText()))
      .map((node) => `${place(file, node)}: ${node.expression.getText()}`),
    ...nodesOf(file, ts.isInterfaceDeclaration)
      .filter(({ name }) => /^I[A-Z][a-z]/.test(name.text))
      .map((node) => `${place(file, node)}: interface ${node.name.text}`),
  ]);
}

/** A setting's text is converted to its declared type, and without one it stays text. */
export function settingFaults(files: SourceFile[]): string[] {
  return files
    .filter((file) => !isTest(file))
    .flatMap((file) =>
      nodesOf(file, ts.isPropertyDeclaration)
        .filter((node) => decoratorsOf(node).includes('Setting') && !node.type)
        .map((node) => `${place(file, node)}: ${node.name.getText()} needs a type`),
    );
}

/**
 * A DTO file declares the members of its objects and maps nothing; mappings are beside the service or controller that
 * uses them. Decorators composed of others do not count as mapping.
 */
export function mappingFaults(files: SourceFile[]): string[] {
  return files
    .filter(({ path }) => kindOf(path) === 'dto')
    .flatMap((file) =>
      nodesOf(file, ts.isFunctionLike)
        .filter((node) => !ts.isArrowFunction(node) || !isExpression(node.body))
        .filter((node) => 'body' in node && node.body !== undefined)
        .map((node) => `${place(file, node)}: a DTO file maps nothing`),
    );
}

/** Whether it contains neither statements nor an object literal. */
const isExpression = (body: ts.ConciseBody) =>
  !ts.isBlock(body) &&
  !(ts.isParenthesizedExpression(body) && ts.isObjectLiteralExpression(body.expression));
