import { parentPort } from 'node:worker_threads';
import { readRdapAnswer } from '../rdap/rdap-answer.js';
import { parseWhois } from '../whois/parse/parse-whois.js';
import type { ParserQuestion } from './parser-worker.js';

/** The thread of `ParserWorker`: says it is ready, then answers each text with its result. */
parentPort?.on('message', (question: ParserQuestion) => {
  const { protocol, text, context } = question;
  const result = protocol === 'rdap' ? readRdapAnswer(text, context) : parseWhois(text, context);
  parentPort?.postMessage({ result });
});
parentPort?.postMessage({ isReady: true });
