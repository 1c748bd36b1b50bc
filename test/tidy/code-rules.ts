import ts from 'typescript';
import { type SourceFile, decoratorsOf, isTest, kindOf, nodesOf, place } from './source-tree.js';

const PARAMETERS_MAX = 5;

/** The linter's limit is the one for constructors, which may take one parameter more. */
export function parameterFaults(files: SourceFile[]): string[] {
  return files.flatMap((file) =>
    nodesOf(file, ts.isFunctionLike)
      .filter((node) => !ts.isConstructorDeclaration(node))
      .filter(({ parameters }) => parameters.length > PARAMETERS_MAX)
      .map((node) => `${place(file, node)}: ${node.parameters.length} parameters`),
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

/** Interfaces whose name says only that they are interfaces. */
export function interfaceFaults(files: SourceFile[]): string[] {
  return files.flatMap((file) =>
    nodesOf(file, ts.isInterfaceDeclaration)
      .filter(({ name }) => /^I[A-Z][a-z]/.test(name.text))
      .map((node) => `${place(file, node)}: interface ${node.name.text}`),
  );
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

/** Whether a function contains neither statements nor an object literal. */
const isExpression = (body: ts.ConciseBody) =>
  !ts.isBlock(body) &&
  !(ts.isParenthesizedExpression(body) && ts.isObjectLiteralExpression(body.expression));
