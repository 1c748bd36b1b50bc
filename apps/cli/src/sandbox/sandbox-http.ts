/**
 * A call of the CLI or of `npm run doctor` to a processor's API, such as one that advances a test clock or lists the
 * registered webhooks.
 */
export interface SandboxCall {
  method?: 'GET' | 'POST' | 'DELETE';
  url: string;
  headers: Readonly<Record<string, string>>;
  /** The body, which is sent as a form. */
  form?: Readonly<Record<string, string>>;
}

const TIMEOUT_MS = 20_000;

/**
 * Sends a request.
 * @returns the JSON answer; an empty object for an empty answer.
 * @throws Error with the beginning of the answer if the processor refuses; the errors of `fetch`, including if there is
 *   no answer within 20 seconds; SyntaxError if the answer is not JSON.
 */
export async function askSandbox({ method = 'GET', url, headers, form }: SandboxCall) {
  const answer = await fetch(url, {
    method,
    headers,
    ...(form && { body: new URLSearchParams(form) }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const text = await answer.text();
  if (answer.ok) return text === '' ? {} : JSON.parse(text);
  const { pathname } = new URL(url);
  throw new Error(`${method} ${pathname}: ${answer.status} ${text.slice(0, 300)}`);
}
