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

/**
 * Thrown if no answer came: the connection was refused or broken, or the answer was too late. The request may still
 * have been carried out.
 */
export class NoAnswer extends Error {}

/** A time limit that is longer than a gateway ever waits for lookup. */
const TIMEOUT_MS = 25_000;

/**
 * Sends a request, and repeats it once if an idle connection was closed as the request was sent (RFC 9112 §9.3.1). A
 * server may close one at any time, so every HTTP library does this.
 * @throws NoAnswer.
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
