import ts from 'typescript';
import { CRASH_POINTS } from '#libs/platform';
import {
  type SourceFile,
  decoratorsOf,
  differences,
  isTest,
  kindOf,
  noText,
  nodesOf,
  place,
} from './source-tree.js';

/**
 * Checks that business time comes only from the injected clock; `new Date(value)` only converts. The linter finds
 * `Date.now`.
 */
export const clockFaults = noText(
  /\bnew Date\(\)/g,
  (file) => file.path !== 'libs/platform/src/clock.ts' && !isTest(file),
);

/** Checks that no interface has a name of the form `IName`. */
export const interfaceFaults = noText(/^(?:export )?interface I[A-Z][a-z]\w*/gm, () => true);

/**
 * Checks that a DTO file declares only the members of its objects; mappings belong beside the service or controller
 * that uses them. Decorators composed of others do not count as mappings.
 */
export const mappingFaults = noText(
  /\bfunction\b|=>\s*\(?\{|^ +(?:[a-z]+ )*[a-z]\w*\([^@\n]*\{$/gm,
  ({ path }) => kindOf(path) === 'dto',
);

/**
 * Checks that a property test starts from a seed in its source. Only commands such as `npm run sim` draw new seeds,
 * because a new seed may fail, and no commit should be rejected by chance.
 */
export function seedFaults(files: SourceFile[]): string[] {
  return files.filter(isTest).flatMap((file) =>
    nodesOf(file, ts.isCallExpression, /\bfc\./)
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

/** Checks that each setting declares its type. Without one, its text would not be converted. */
export function settingFaults(files: SourceFile[]): string[] {
  return files
    .filter((file) => !isTest(file))
    .flatMap((file) =>
      nodesOf(file, ts.isPropertyDeclaration, /@Setting\b/)
        .filter((node) => decoratorsOf(node).includes('Setting') && !node.type)
        .map((node) => `${place(file, node)}: ${node.name.getText()} needs a type`),
    );
}

/**
 * Checks that the code calls exactly the listed crash points, because a kill test at a point that is never passed
 * proves nothing.
 */
export function crashPointFaults(files: SourceFile[]): string[] {
  const calls = files
    .filter((file) => !isTest(file))
    .flatMap(({ text }) =>
      [...text.matchAll(/\bcrashPoint\('([^']+)'/g)].map(([, point]) => point),
    );
  return differences(Object.keys(CRASH_POINTS), calls, ['never called', 'not listed']);
}
