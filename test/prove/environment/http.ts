import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';

/** An answer as a client sees it. */
export interface Answer {
  status: number;
  headers: IncomingMessage['headers'];
  // oxlint-disable-next-line typescript/no-explicit-any -- members of many bodies are read
  body: any;
}

export interface Question {
  method: string;
  url: string;
  headers?: Record<string, string>;
  body?: object;
  agent?: Agent;
}

/** No answer came: refused, broken off or too late. The request may have been carried out all the same. */
export class NoAnswer extends Error {}

/** Longer than the longest that a gateway waits for lookup. */
const TIMEOUT_MS = 25_000;

/**
 * Asks, and once more when an idle connection turned out to be closed as the question was sent (RFC 9112
 * §9.3.1): a server may end one at any time, and every HTTP library does so. @throws NoAnswer.
 */
export async function ask(question: Question): Promise<Answer> {
  try {
    return await askOnce(question);
  } catch (error) {
    if (!(error instanceof ClosedWhileIdle)) throw error;
    return askOnce({ ...question, agent: undefined });
  }
}

class ClosedWhileIdle extends NoAnswer {}

function askOnce({ method, url, headers = {}, body, agent }: Question): Promise<Answer> {
  const payload = body && JSON.stringify(body);
  const ofBody = payload && {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(payload)),
  };
  return new Promise((resolve, reject) => {
    const asking = request(url, {
      method,
      agent: agent ?? false,
      headers: { ...headers, ...ofBody },
    });
    const limit = setTimeout(() => asking.destroy(new Error('no answer in time')), TIMEOUT_MS);
    const fail = (error: Error) => {
      clearTimeout(limit);
      const text = `${method} ${url.split('?')[0]}: ${nameOf(error)}`;
      const isIdle = asking.reusedSocket && nameOf(error) === 'ECONNRESET' && method === 'GET';
      reject(isIdle ? new ClosedWhileIdle(text) : new NoAnswer(text));
    };
    asking.once('error', fail);
    asking.once('response', (answer) => {
      read(answer)
        .then(resolve, fail)
        .finally(() => clearTimeout(limit));
    });
    asking.end(payload);
  });
}

async function read(answer: IncomingMessage): Promise<Answer> {
  const found = await text(answer);
  const isJson = answer.headers['content-type']?.includes('json');
  return {
    status: answer.statusCode as number,
    headers: answer.headers,
    body: isJson ? JSON.parse(found) : found,
  };
}

const nameOf = (error: Error) => (error as NodeJS.ErrnoException).code ?? error.message;
