import { parentPort } from 'node:worker_threads';
import { readNumberAnswer } from '../networks/number-reading.js';
import { readRdapAnswer } from '../rdap/rdap-answer.js';
import { parseWhois } from '../whois/parse/parse-whois.js';
import type { ParserQuestion, ParserResult } from './parser-worker.js';

/** The thread of `ParserWorker`. It reports that it is ready, and then answers each text with the result. */
parentPort?.on('message', (question: ParserQuestion) => {
  parentPort?.postMessage({ result: read(question) });
});
parentPort?.postMessage({ isReady: true });

function read({ protocol, text, context }: ParserQuestion): ParserResult {
  switch (protocol) {
    case 'whois43':
      return parseWhois(text, context);
    case 'rdap':
      return readRdapAnswer(text, context);
    case 'number':
      return readNumberAnswer(text, context);
  }
}
