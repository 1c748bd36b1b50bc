import ts from 'typescript';
import { CRASH_POINTS } from '#libs/platform';
import {
  type SourceFile,
  decoratorsOf,
  isTest,
  kindOf,
  nodesOf,
  place,
  textsIn,
} from './source-tree.js';

/**
 * Checks that business time comes only from the injected clock; `new Date(value)` only converts. The linter finds
 * `Date.now`.
 */
export function clockFaults(files: SourceFile[]): string[] {
  const judged = files.filter(
    (file) => file.path !== 'libs/platform/src/clock.ts' && !isTest(file),
  );
  return judged.flatMap((file) => textsIn(file, /\bnew Date\(\)/g));
}

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

/** Finds interfaces whose name says only that they are interfaces. */
export function interfaceFaults(files: SourceFile[]): string[] {
  return files.flatMap((file) => textsIn(file, /^(?:export )?interface I[A-Z][a-z]\w*/gm));
}

/**
 * Checks that each setting declares its type, to which its text is converted. Without a type, the value would remain
 * text.
 */
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
 * Checks that a DTO file declares only the members of its objects; mappings belong beside the service or controller
 * that uses them. Decorators composed of others do not count as mappings.
 */
export function mappingFaults(files: SourceFile[]): string[] {
  return files
    .filter(({ path }) => kindOf(path) === 'dto')
    .flatMap((file) =>
      textsIn(file, /\bfunction\b|=>\s*\(?\{|^ +(?:[a-z]+ )*[a-z]\w*\([^@\n]*\{$/gm),
    );
}

/**
 * Checks that the code calls each listed crash point, because a kill test at a crash point that is never passed proves
 * nothing.
 */
export function crashPointFaults(files: SourceFile[]): string[] {
  const calls = files
    .filter((file) => !isTest(file))
    .flatMap(({ text }) =>
      [...text.matchAll(/\bcrashPoint\('([^']+)'/g)].map(([, point]) => point),
    );
  const listed = Object.keys(CRASH_POINTS);
  return [
    ...listed.filter((point) => !calls.includes(point)).map((point) => `${point}: never called`),
    ...calls.filter((point) => !listed.includes(point)).map((point) => `${point}: not listed`),
  ];
}
