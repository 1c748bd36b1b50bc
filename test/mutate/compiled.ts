import { readFileSync, readdirSync, statSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { join, relative } from 'node:path';

export const ROOT = join(import.meta.dirname, '../../..');
const DIST = join(ROOT, 'dist');

/** Compiled files below folders of sources, without their maps; paths within `dist`. */
export function compiledBelow(folders: readonly string[], without?: RegExp): string[] {
  const walk = (path: string): string[] =>
    statSync(path).isDirectory()
      ? readdirSync(path).flatMap((name) => walk(join(path, name)))
      : [relative(DIST, path)];
  return folders
    .flatMap((folder) => walk(join(DIST, folder)))
    .filter((path) => path.endsWith('.js') && !without?.test(path))
    .toSorted();
}

/** @param path within `dist`. */
export function readCompiled(path: string): string {
  return readFileSync(compiledPath(path), 'utf8');
}

export function compiledPath(path: string): string {
  return join(DIST, path);
}

/** The source of a compiled location, in a form that terminals make clickable. */
export function sourcePlace(path: string, offset: number): string {
  const before = readCompiled(path).slice(0, offset).split('\n');
  const map = new SourceMap(JSON.parse(readCompiled(`${path}.map`)) as never);
  const entry = map.findEntry(before.length - 1, before.at(-1)?.length ?? 0);
  // In a template of several lines, only the beginning is mapped.
  const line =
    'originalLine' in entry ? entry.originalLine + before.length - entry.generatedLine : 0;
  return `${path.replace(/\.js$/, '.ts')}:${line}`;
}
