import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type SourceFile, differences, kindOf } from './source-tree.js';

const errorPages = (paths: string[]) =>
  paths.filter((path) => /^docs\/errors\/[a-z_]+\.md$/.test(path));

/** Checks that each error code has a page in docs/errors, and that each page has a code. */
export function errorPageFaults(files: SourceFile[], paths: string[]): string[] {
  const codes = files
    .filter(({ path }) => kindOf(path) === 'errors')
    .flatMap(({ text }) => [...text.matchAll(/\bcode: '([a-z_]+)'/g)].map(([, code]) => code));
  const explained = errorPages(paths).map((path) => basename(path, '.md'));
  return differences([...new Set(codes)], explained, ['no page', 'nothing raises it']);
}

/** Checks the form of each error page, because people read these pages in a hurry. */
export function errorPageFormFaults(paths: string[]): string[] {
  return errorPages(paths)
    .filter((path) => !isErrorPage(basename(path, '.md'), readFileSync(path, 'utf8')))
    .map((path) => `${path}: does not have the form of an error page`);
}

/** Whether the text is the page that explains `code`. */
export function isErrorPage(code: string, text: string): boolean {
  const form = new RegExp(
    `^# [A-Z][^\\n]+\\n\\n\`${code}\`\\n\\n## What happened\\n\\n[^#]+\\n## What to do\\n\\n[^#]+$`,
  );
  return form.test(text);
}

const README_WORDS_MAX = 600;

/** Finds READMEs that are longer than one page. */
export function readmeLengthFaults(paths: string[]): string[] {
  return paths
    .filter((path) => /(?:^|\/)README\.md$/.test(path))
    .map((path) => ({ path, words: wordsOf(readFileSync(path, 'utf8')) }))
    .filter(({ words }) => words > README_WORDS_MAX)
    .map(({ path, words }) => `${path}: ${words} words, at most ${README_WORDS_MAX}`);
}

/** Counts the words of a document's text; commands and examples in fences do not count. */
export function wordsOf(text: string): number {
  const prose = text.replace(/```[\s\S]*?```/g, '');
  return prose.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

const LINK = /\[[^\]]*\]\(([^)\s]+)\)/g;

/** Finds relative links in the documents whose target does not exist. */
export function linkFaults(paths: string[]): string[] {
  return paths
    .filter((path) => path.endsWith('.md'))
    .flatMap((path) =>
      [...withoutCode(readFileSync(path, 'utf8')).matchAll(LINK)]
        .map(([, target]) => target.split('#')[0])
        .filter((target) => target !== '' && !/^[a-z]+:/.test(target))
        .filter((target) => !existsSync(join(dirname(path), decodeURI(target))))
        .map((target) => `${path}: ${target}`),
    );
}

const withoutCode = (text: string) => text.replace(/```[\s\S]*?```/g, '').replace(/`[^`\n]*`/g, '');
