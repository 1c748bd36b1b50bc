import ts from 'typescript';
import { CRASH_POINTS } from '#libs/platform';
import { type SourceFile, isTest, nodesOf } from './source-tree.js';

/**
 * Each listed crash point is called in the code, because a kill test at a point that is never passed proves nothing.
 */
export function crashPointFaults(files: SourceFile[]): string[] {
  const called = new Set(files.filter((file) => !isTest(file)).flatMap(calledPoints));
  const listed = Object.keys(CRASH_POINTS);
  return [
    ...listed
      .filter((point) => !called.has(point))
      .map((point) => `${point}: listed, never called`),
    ...[...called]
      .filter((point) => !listed.includes(point))
      .map((point) => `${point}: not listed`),
  ];
}

function calledPoints(file: SourceFile): string[] {
  return nodesOf(file, ts.isCallExpression)
    .filter(({ expression }) => expression.getText() === 'crashPoint')
    .map((call) => (call.arguments[0] as ts.StringLiteral).text);
}
