import ts from 'typescript';

export interface Mutation {
  /** The offsets of the replaced text in the compiled file. */
  start: number;
  end: number;
  replacement: string;
}

const SWAPPED = ['< <=', '> >=', '=== !==', '&& ||', '+ -', '* /', '+= -='];
const OPERATORS = new Map(
  SWAPPED.map((pair) => pair.split(' ')).flatMap(([a, b]): [string, string][] => [
    [a, b],
    [b, a],
  ]),
);
const METHODS: Record<string, string> = { min: 'max', max: 'min', some: 'every', every: 'some' };
const ORDERS = /^(toSorted|sort|toReversed|reverse)$/;
/** The largest number that is mutated. Larger numbers are limits, where a difference of one does not matter. */
const SMALL_MAX = 2;
/** Not mutated: calls that only report (logs, unarmed crash points, spans), and the output of decorators. */
const LEFT_OUT = /\b(logger|crashPoint|startSpan|span|isTracing|_ts_(decorate|metadata|param))\b/;
/** The real time of processes and of the database, which no test can set to an exact microsecond. */
const INSTANT = /\b(nowMs|aheadMs|monotonicMs|clock_timestamp|failed_for_ms)\b/;

const SQL_CHANGES: readonly [found: RegExp, replacement: string][] = [
  [/\s+skip locked\b/g, ''],
  [/\s+for update\b(?: of \w+)?(?! skip)/g, ''],
  [/\bgreatest(?=\()/g, 'least'],
  [/\bleast(?=\()/g, 'greatest'],
  [/\bmax(?=\()/g, 'min'],
  [/\bmin(?=\()/g, 'max'],
  [/(?<=\s)<=(?=\s)/g, '<'],
  [/(?<=\s)<(?=\s)/g, '<='],
  [/(?<=\s)>=(?=\s)/g, '>'],
  [/(?<=\s)>(?=\s)/g, '>='],
  [/(?<=\s)<>(?=\s)/g, '='],
  [/(?<=\s)\+(?=\s)/g, '-'],
  [/(?<=\s)-(?=\s)/g, '+'],
  [/\band\b(?! materialized)/g, 'or'],
  [/\bor\b/g, 'and'],
  [/\bis not null\b/g, 'is null'],
  [/\bis null\b/g, 'is not null'],
  [/\bnot exists\b/g, 'exists'],
  [/(?<!not )\bexists(?=\s*\()/g, 'not exists'],
  [/\s+on conflict do nothing\b/g, ''],
  [/\bdistinct\s+/g, ''],
  [/\s+desc\b/g, ''],
  [/\border by [\w.]+(?:, [\w.]+)*(?: desc)?/g, ''],
  [/\s+limit (?:\$\d+|\d+)/g, ''],
  // Removes one of several conditions if it has no parameter, or if its parameter is also used elsewhere.
  [/\s+and [\w.]+ (?:=|<|>|<=|>=|<>) (?:'\w+'|[a-z_][\w.]*)(?=[\s)`'])/g, ''],
];
const IS_SQL = [
  /\b(select|insert into|update|delete from)\b/,
  /\b(from|set|values|where|returning|select)\b/,
];

/** Returns the mutations of one compiled file, in the order of the file. A few of them have no effect. */
export function mutationsOf(path: string, text: string): Mutation[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.JS);
  const found: Mutation[] = [];
  const visit = (node: ts.Node): void => {
    if (isLeftOut(node)) return;
    if (ts.isStringLiteral(node) || ts.isTemplateLiteral(node)) found.push(...ofSql(node));
    else {
      found.push(...ofCode(node));
      ts.forEachChild(node, visit);
    }
  };
  visit(file);
  return found
    .filter((one) => !isOfAnInstant(text, one))
    .toSorted((a, b) => a.start - b.start || a.end - b.end);
}

function isLeftOut(node: ts.Node): boolean {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return true;
  if (ts.isFunctionDeclaration(node)) return LEFT_OUT.test(node.name?.text ?? '');
  if (ts.isIfStatement(node)) return /^crashPoint\b/.test(node.thenStatement.getText());
  return ts.isCallExpression(node) && LEFT_OUT.test(node.expression.getText());
}

function ofSql(node: ts.Node): Mutation[] {
  const text = node.getText();
  if (!IS_SQL.every((shape) => shape.test(text))) return [];
  return SQL_CHANGES.flatMap(([found, replacement]) =>
    [...text.matchAll(found)].map(({ index, 0: { length } }) => {
      const start = node.getStart() + index;
      return { start, end: start + length, replacement };
    }),
  );
}

function ofCode(node: ts.Node): Mutation[] {
  if (ts.isBinaryExpression(node)) return ofOperator(node);
  if (ts.isIfStatement(node)) {
    return [negated(node.expression), changed(node.expression, 'false')];
  }
  if (ts.isConditionalExpression(node)) return [negated(node.condition)];
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken) {
    return [changed(node, node.operand.getText())];
  }
  if (ts.isThrowStatement(node)) return [changed(node, ';')];
  if (ts.isExpressionStatement(node)) {
    const { expression } = node;
    const call = ts.isAwaitExpression(expression) ? expression.expression : expression;
    if (!ts.isCallExpression(call) || isLeftOut(call)) return [];
    return call.expression.kind === ts.SyntaxKind.SuperKeyword ? [] : [changed(node, ';')];
  }
  if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
    const { name, expression: object } = node.expression;
    if (Object.hasOwn(METHODS, name.text)) return [changed(name, METHODS[name.text])];
    return ORDERS.test(name.text) ? [cut(object.end, node.end)] : [];
  }
  if (node.kind === ts.SyntaxKind.TrueKeyword) return [changed(node, 'false')];
  if (node.kind === ts.SyntaxKind.FalseKeyword) return [changed(node, 'true')];
  if (!ts.isNumericLiteral(node) || Number(node.text) > SMALL_MAX) return [];
  return [changed(node, String(Number(node.text) + 1))];
}

function ofOperator({
  left,
  operatorToken: operator,
  right,
  end,
}: ts.BinaryExpression): Mutation[] {
  const text = operator.getText();
  // The driver sends undefined as null, so a removed `?? null` would have no effect.
  if (text === '??' && right.getText() !== 'null') return [cut(left.end, end)];
  const isOfText = [left, right].some(
    (side) => ts.isStringLiteral(side) || ts.isTemplateLiteral(side),
  );
  const swapped = OPERATORS.get(text);
  if (swapped === undefined || (isOfText && text.startsWith('+'))) return [];
  return [changed(operator, swapped)];
}

const changed = (node: ts.Node, replacement: string): Mutation => ({
  start: node.getStart(),
  end: node.end,
  replacement,
});
const negated = (node: ts.Expression) => changed(node, `!(${node.getText()})`);
const cut = (start: number, end: number): Mutation => ({ start, end, replacement: '' });

/** Whether the result of a comparison changes only for one point in time. */
function isOfAnInstant(text: string, { start, end, replacement }: Mutation): boolean {
  if (!/^[<>]=?$/.test(text.slice(start, end)) || !/^[<>]=?$/.test(replacement)) return false;
  return INSTANT.test(lineAt(text, start));
}

/** Returns the line of a text that contains an offset, without indentation. */
export function lineAt(text: string, offset: number): string {
  const to = text.indexOf('\n', offset);
  return text.slice(text.lastIndexOf('\n', offset - 1) + 1, to < 0 ? undefined : to).trim();
}
