import ts from 'typescript';
import { isSql, sqlMutations } from './sql-mutations.js';

/** A small change of a compiled file. */
export interface Mutation {
  /** Offsets in the compiled text; the text between them is replaced. */
  start: number;
  end: number;
  replacement: string;
  /** The kind of code that it changes; SQL and conditions are drawn more often than the rest. */
  kind: 'sql' | 'condition' | 'arithmetic' | 'call' | 'literal';
}

const OPERATORS: Partial<Record<ts.SyntaxKind, [string, Mutation['kind']]>> = {
  [ts.SyntaxKind.LessThanToken]: ['<=', 'condition'],
  [ts.SyntaxKind.LessThanEqualsToken]: ['<', 'condition'],
  [ts.SyntaxKind.GreaterThanToken]: ['>=', 'condition'],
  [ts.SyntaxKind.GreaterThanEqualsToken]: ['>', 'condition'],
  [ts.SyntaxKind.EqualsEqualsEqualsToken]: ['!==', 'condition'],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken]: ['===', 'condition'],
  [ts.SyntaxKind.AmpersandAmpersandToken]: ['||', 'condition'],
  [ts.SyntaxKind.BarBarToken]: ['&&', 'condition'],
  [ts.SyntaxKind.PlusToken]: ['-', 'arithmetic'],
  [ts.SyntaxKind.MinusToken]: ['+', 'arithmetic'],
  [ts.SyntaxKind.AsteriskToken]: ['/', 'arithmetic'],
  [ts.SyntaxKind.SlashToken]: ['*', 'arithmetic'],
  [ts.SyntaxKind.PlusEqualsToken]: ['-=', 'arithmetic'],
  [ts.SyntaxKind.MinusEqualsToken]: ['+=', 'arithmetic'],
};
const METHODS: Record<string, string> = { min: 'max', max: 'min', some: 'every', every: 'some' };
/** Calls that may be left out. */
const ORDERS = new Set(['toSorted', 'sort', 'toReversed', 'reverse']);
/**
 * Numbers up to this are counts and steps; larger numbers are limits, for which a difference of one does not matter.
 */
const SMALL_MAX = 2;
/** Code that only reports (logs, unarmed crash points, spans) and the output of decorators. */
const TOLD = /\b(logger|crashPoint|startSpan|span|isTracing)\b/;
const FROM_DECORATORS = /^_ts_(decorate|metadata|param)$/;

/** Every mutation of one compiled file, in the order of its text. */
export function mutationsOf(path: string, text: string): Mutation[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.JS);
  const found: Mutation[] = [];
  visit(file, file, found);
  return found.toSorted((a, b) => a.start - b.start || a.end - b.end);
}

function visit(node: ts.Node, file: ts.SourceFile, found: Mutation[]): void {
  if (isLeftOut(node, file)) return;
  found.push(...mutationsAt(node, file));
  if (!isText(node)) ts.forEachChild(node, (child) => visit(child, file, found));
}

function isLeftOut(node: ts.Node, file: ts.SourceFile): boolean {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return true;
  if (ts.isFunctionDeclaration(node)) return FROM_DECORATORS.test(node.name?.text ?? '');
  if (!ts.isCallExpression(node)) return false;
  const callee = node.expression.getText(file);
  return FROM_DECORATORS.test(callee) || TOLD.test(callee);
}

function mutationsAt(node: ts.Node, file: ts.SourceFile): Mutation[] {
  if (isText(node)) return textMutations(node, file);
  if (ts.isBinaryExpression(node)) return operatorMutations(node, file);
  if (ts.isIfStatement(node)) return conditionMutations(node.expression, file);
  if (ts.isConditionalExpression(node)) return [negated(node.condition, file)];
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken) {
    return [{ ...placeOf(node, file), replacement: node.operand.getText(file), kind: 'condition' }];
  }
  if (ts.isExpressionStatement(node) || ts.isThrowStatement(node)) return removals(node, file);
  if (ts.isCallExpression(node)) return methodMutations(node, file);
  return literalMutations(node, file);
}

/** Visits a string or template, and the expressions in it. */
function isText(node: ts.Node): boolean {
  return ts.isStringLiteral(node) || ts.isTemplateLiteral(node);
}

function textMutations(node: ts.Node, file: ts.SourceFile): Mutation[] {
  const { start, end } = placeOf(node, file);
  const text = file.text.slice(start, end);
  if (!isSql(text)) return [];
  return sqlMutations(text).map((one) => ({
    start: start + one.start,
    end: start + one.end,
    replacement: one.replacement,
    kind: 'sql',
  }));
}

function operatorMutations(node: ts.BinaryExpression, file: ts.SourceFile): Mutation[] {
  const { operatorToken: operator, left } = node;
  const [replacement, kind] = OPERATORS[operator.kind] ?? [];
  if (replacement !== undefined && kind) {
    const isOfText = [left, node.right].some((side) => isText(side));
    return isOfText && kind === 'arithmetic'
      ? []
      : [{ ...placeOf(operator, file), replacement, kind }];
  }
  if (operator.kind !== ts.SyntaxKind.QuestionQuestionToken) return [];
  const [{ end: start }, { end }] = [placeOf(left, file), placeOf(node, file)];
  return [{ start, end, replacement: '', kind: 'condition' }];
}

function conditionMutations(condition: ts.Expression, file: ts.SourceFile): Mutation[] {
  const place = placeOf(condition, file);
  return [negated(condition, file), { ...place, replacement: 'false', kind: 'condition' }];
}

function negated(condition: ts.Expression, file: ts.SourceFile): Mutation {
  const replacement = `!(${condition.getText(file)})`;
  return { ...placeOf(condition, file), replacement, kind: 'condition' };
}

/** Removes statements whose value is not used. */
function removals(
  node: ts.ExpressionStatement | ts.ThrowStatement,
  file: ts.SourceFile,
): Mutation[] {
  let { expression } = node;
  if (ts.isAwaitExpression(expression)) expression = expression.expression;
  const isTold = ts.isCallExpression(expression) && isLeftOut(expression, file);
  const isWork = ts.isThrowStatement(node) || ts.isCallExpression(expression);
  if (!isWork || isTold || expression.kind === ts.SyntaxKind.SuperKeyword) return [];
  if (ts.isCallExpression(expression) && expression.expression.getText(file) === 'super') return [];
  return [{ ...placeOf(node, file), replacement: ';', kind: 'call' }];
}

function methodMutations(node: ts.CallExpression, file: ts.SourceFile): Mutation[] {
  const { expression: callee } = node;
  if (!ts.isPropertyAccessExpression(callee)) return [];
  const { name, expression: object } = callee;
  const replacement = METHODS[name.text];
  if (replacement !== undefined) {
    return [{ ...placeOf(name, file), replacement, kind: 'arithmetic' }];
  }
  if (!ORDERS.has(name.text)) return [];
  return [
    {
      start: placeOf(object, file).end,
      end: placeOf(node, file).end,
      replacement: '',
      kind: 'call',
    },
  ];
}

function literalMutations(node: ts.Node, file: ts.SourceFile): Mutation[] {
  const place = placeOf(node, file);
  if (node.kind === ts.SyntaxKind.TrueKeyword || node.kind === ts.SyntaxKind.FalseKeyword) {
    const replacement = String(node.kind === ts.SyntaxKind.FalseKeyword);
    return [{ ...place, replacement, kind: 'literal' }];
  }
  if (!ts.isNumericLiteral(node) || Number(node.text) > SMALL_MAX) return [];
  return [{ ...place, replacement: String(Number(node.text) + 1), kind: 'literal' }];
}

function placeOf(node: ts.Node, file: ts.SourceFile): { start: number; end: number } {
  return { start: node.getStart(file), end: node.getEnd() };
}
