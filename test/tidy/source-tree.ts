import { readFileSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import ts from 'typescript';

const NOT_OURS = new Set(['node_modules', 'dist', '.data', '.git', 'coverage']);

/** A parsed TypeScript file of the repository. `path` is relative to the root, with `/`. */
export interface SourceFile {
  path: string;
  text: string;
  syntax: ts.SourceFile;
  /** All syntax nodes in the order of the source text. They are stored because nearly every rule visits them. */
  nodes: readonly ts.Node[];
}

/** Returns the paths of all files below a folder of the repository, sorted; none if the folder does not exist. */
export function filesBelow(folder: string): string[] {
  const found: string[] = [];
  const walk = (path: string): void => {
    for (const entry of readdirSync(path || '.', { withFileTypes: true })) {
      if (NOT_OURS.has(entry.name)) continue;
      const inner = join(path, entry.name);
      if (entry.isDirectory()) walk(inner);
      else found.push(inner);
    }
  };
  walk(folder);
  return found.sort();
}

/** Parses a file for the rules. Specs also pass invented files, to show that the rules find their faults. */
export function sourceFile(path: string, text: string): SourceFile {
  const syntax = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const nodes: ts.Node[] = [];
  visit(syntax, (node) => void nodes.push(node));
  return { path, text, syntax, nodes };
}

export function readSources(): SourceFile[] {
  return ['apps', 'libs', 'test']
    .flatMap((folder) => filesBelow(folder))
    .filter((path) => path.endsWith('.ts'))
    .map((path) => sourceFile(path, readFileSync(path, 'utf8')));
}

/** Whether a file is a spec, or a suite that each implementation of a port or each deployment runs. */
export const isSpec = ({ path }: SourceFile) => /\.(spec|contract|story)\.ts$/.test(path);
/** Whether a file is a spec, or is used only by specs because it is in `test`. */
export const isTest = (file: SourceFile) => isSpec(file) || /(^|\/)test\//.test(file.path);
/** Returns the kind of a file: `entity` for `key.entity.ts`, and undefined for `account.ts`. */
export const kindOf = (path: string) =>
  /^[^.]+(?:\.(?:slow|system|proof))?\.([a-z]+)\.ts$/.exec(basename(path))?.[1];

function visit(node: ts.Node, see: (node: ts.Node) => void): void {
  see(node);
  ts.forEachChild(node, (child) => visit(child, see));
}

export function nodesOf<T extends ts.Node>(
  { nodes }: SourceFile,
  is: (node: ts.Node) => node is T,
): T[] {
  return nodes.filter(is);
}

/** Returns `path:line` of a node, which terminals make clickable. */
export function place(file: SourceFile, node: ts.Node): string {
  return at(file, node.getStart(file.syntax));
}

const at = ({ path, syntax }: SourceFile, offset: number) =>
  `${path}:${syntax.getLineAndCharacterOfPosition(offset).line + 1}`;

/** Returns each matching text of a file, with its place. */
export function textsIn(file: SourceFile, shape: RegExp): string[] {
  return [...file.text.matchAll(shape)].map(({ 0: text, index }) => `${at(file, index)}: ${text}`);
}

/** Returns the modules that a file imports, re-exports or loads, with their places. */
export function importsOf(file: SourceFile): { from: string; where: string }[] {
  const { importedFiles } = ts.preProcessFile(file.text, true, true);
  return importedFiles.map(({ fileName, pos }) => ({ from: fileName, where: at(file, pos) }));
}

/** Returns the names of a declaration's decorators, such as `Get` for `@Get('/x')`. */
export function decoratorsOf(node: ts.HasDecorators): string[] {
  return (ts.getDecorators(node) ?? []).map(({ expression }) =>
    (ts.isCallExpression(expression) ? expression.expression : expression).getText(),
  );
}
