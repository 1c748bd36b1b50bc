import { expect, it } from '@jest/globals';
import { PLAYGROUND_SCRIPT } from './playground-script.js';

const TEXT_MAX = 65_536;

interface Element {
  children: (Element | string)[];
}

/** Runs the script on a page without elements, and returns its function that renders the body of an answer. */
function textOf(response: Response): Promise<Element[]> {
  const anything: unknown = new Proxy(() => {}, { get: () => anything, apply: () => anything });
  const createElement = () => {
    const children: unknown[] = [];
    return { children, append: (...more: unknown[]) => children.push(...more) };
  };
  const document = { querySelector: () => anything, createElement };
  const script = `${PLAYGROUND_SCRIPT}; return textOf;`;
  return new Function('document', 'addEventListener', 'opener', script)(document, () => {})(
    response,
  );
}

const words = (elements: readonly (Element | string)[]): string =>
  elements.map((one) => (typeof one === 'string' ? one : words(one.children))).join('');

it.each([
  [{}, 'application/gzip: the program below saves it.'],
  [{ 'content-length': '12' }, 'application/gzip, 12 bytes: the program below saves it.'],
])('a file is described with its size, if it is known: %j', async (headers, text) => {
  const body = new Blob(['x'], { type: 'application/gzip' });
  const response = new Response(body, { headers: { ...headers, 'content-type': body.type } });
  expect(words(await textOf(response))).toBe(text);
});

it('a text of unknown length is read only as far as it is shown', async () => {
  const piece = new TextEncoder().encode('é'.repeat(1_000));
  let pieces = 0;
  let isCancelled = false;
  const body = new ReadableStream({
    pull: (stream) => {
      pieces += 1;
      stream.enqueue(piece);
      if (pieces > 1_000) stream.close();
    },
    cancel: () => void (isCancelled = true),
  });
  const response = new Response(body, { headers: { 'content-type': 'text/csv' } });
  expect(words(await textOf(response))).toBe('é'.repeat(TEXT_MAX));
  expect([isCancelled, pieces < 100]).toEqual([true, true]);
});
