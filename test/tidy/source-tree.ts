import { readFileSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import ts from 'typescript';

const NOT_OURS = new Set(['node_modules', 'dist', '.data', '.git', 'coverage']);

/** A TypeScript file of the repository. `path` is relative to the root, with `/`. */
export interface SourceFile {
  path: string;
  text: string;
  /** All nodes of the file, once a rule has asked for them. Parsing every file would take longer than all rules. */
  nodes?: readonly ts.Node[];
  /** The modules that the file imports, once a rule has asked for them. */
  imports?: readonly Import[];
}

/** A module that a file imports, re-exports or loads, and the place where it does so. */
interface Import {
  from: string;
  where: string;
}

/**
 * Returns the sorted paths of all files below a folder of the repository, or of the root (`''`), without dependencies,
 * data or generated code. @throws Error if the folder does not exist.
 */
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

export function readSources(): SourceFile[] {
  return ['apps', 'libs', 'test']
    .flatMap((folder) => filesBelow(folder))
    .filter((path) => path.endsWith('.ts'))
    .map((path) => ({ path, text: readFileSync(path, 'utf8') }));
}

/** Whether a file is a spec, or a suite that each implementation of a port or each deployment runs. */
export const isSpec = ({ path }: SourceFile) => /\.(spec|contract|story)\.ts$/.test(path);
/** Whether a file is a spec or is in `test`. */
export const isTest = (file: SourceFile) => isSpec(file) || /(^|\/)test\//.test(file.path);
/** Returns the kind of a file: `entity` for `key.entity.ts`, and undefined for `account.ts`. */
export const kindOf = (path: string) =>
  /^[^.]+(?:\.(?:slow|system|proof))?\.([a-z]+)\.ts$/.exec(basename(path))?.[1];

/**
 * Returns the nodes of a kind in a file.
 * @param mark a text that each of these nodes contains; a file without this text has none.
 */
export function nodesOf<T extends ts.Node>(
  file: SourceFile,
  is: (node: ts.Node) => node is T,
  mark: RegExp,
): T[] {
  if (!mark.test(file.text)) return [];
  file.nodes ??= parsed(file);
  return file.nodes.filter(is);
}

function parsed({ path, text }: SourceFile): ts.Node[] {
  const nodes: ts.Node[] = [ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)];
  for (const node of nodes) ts.forEachChild(node, (child) => void nodes.push(child));
  return nodes;
}

/** Returns `path:line` of a node, which terminals make clickable. */
export function place(file: SourceFile, node: ts.Node): string {
  return at(file, node.getStart());
}

const at = ({ path, text }: SourceFile, offset: number) =>
  `${path}:${text.slice(0, offset).split('\n').length}`;

/** Returns a rule that finds each matching text in the checked files, with its place. */
export const noText =
  (shape: RegExp, isJudged: (file: SourceFile) => boolean) => (files: SourceFile[]) =>
    files
      .filter(isJudged)
      .flatMap((file) =>
        [...file.text.matchAll(shape)].map(({ 0: text, index }) => `${at(file, index)}: ${text}`),
      );

/** Finds the items of either list that the other lacks. @param why what is wrong with those of each list. */
export function differences(
  one: readonly string[],
  other: readonly string[],
  why: readonly [string, string],
): string[] {
  const lacking = (all: readonly string[], from: readonly string[], text: string) =>
    all.filter((item) => !from.includes(item)).map((item) => `${item}: ${text}`);
  return [...lacking(one, other, why[0]), ...lacking(other, one, why[1])];
}

export function importsOf(file: SourceFile): readonly Import[] {
  return (file.imports ??= ts
    .preProcessFile(file.text, true, true)
    .importedFiles.map(({ fileName, pos }) => ({ from: fileName, where: at(file, pos) })));
}

/** Returns the names of a declaration's decorators, such as `Get` for `@Get('/x')`. */
export function decoratorsOf(node: ts.HasDecorators): string[] {
  return (ts.getDecorators(node) ?? []).map(({ expression }) =>
    (ts.isCallExpression(expression) ? expression.expression : expression).getText(),
  );
}
