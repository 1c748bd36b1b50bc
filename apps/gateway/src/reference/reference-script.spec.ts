import { expect, it } from '@jest/globals';
import { REFERENCE_SCRIPT } from './reference-script.js';

const TEXT_MAX = 65_536;

interface Shown {
  textOf: (answer: Response) => Promise<string>;
  clear: (text: string) => string;
}

/** Runs the script on a page without forms, and returns its functions that read and render an answer. */
function functions(): Shown {
  const anything: unknown = new Proxy(() => {}, { get: () => anything, apply: () => anything });
  const script = `${REFERENCE_SCRIPT}; return { textOf, clear };`;
  return new Function('document', script)(anything) as Shown;
}

function answerOf(text: string, type: string): Response {
  const headers = { 'content-type': type, 'content-length': String(text.length) };
  return new Response(text, { headers });
}

it('a long JSON answer, which may have been charged, is shown up to a limit', async () => {
  const { textOf, clear } = functions();
  const answer = { names: Array.from({ length: 5_000 }, (_, place) => `name${place}.example`) };
  const response = answerOf(JSON.stringify(answer), 'application/json; charset=utf-8');
  const whole = JSON.stringify(answer, undefined, 2);
  expect(clear(await textOf(response))).toBe(`${whole.slice(0, TEXT_MAX)}\n…`);
  expect(clear('short\u202e')).toBe('short\\u{202e}');
});

it.each(['text/csv', 'application/x-ndjson'])(
  'a long file of type %s is not read',
  async (type) => {
    const response = answerOf('x'.repeat(TEXT_MAX + 1), type);
    const size = TEXT_MAX + 1;
    expect(await functions().textOf(response)).toBe(
      `${type}, ${size} bytes: the command above saves it.`,
    );
  },
);
