import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
let source: string | undefined;

/**
 * Checks a page without frames in its current state. axe is loaded only once per page, because loading it takes as long
 * as a check.
 * @param rules the rules of axe to check; by default, all.
 * @returns each violated rule, with the first element that violates it.
 */
export async function axeFaults(page: Page, rules?: readonly string[]): Promise<string[]> {
  source ??= readFileSync(AXE, 'utf8');
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(source);
  // Only rules about media need files to be loaded again, and no page has media.
  const options = JSON.stringify({ resultTypes: ['violations'], runOnly: rules, preload: false });
  return page.evaluate<string[]>(`axe.run(document, ${options}).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ': ' + nodes[0].html))`);
}
