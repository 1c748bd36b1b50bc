import { parentPort } from 'node:worker_threads';
import { parseWhois, type ParseContext } from './parse-whois.js';

/** The thread of `ParserWorker`: says it is ready, then answers each text with its result. */
parentPort?.on('message', ({ text, context }: { text: string; context: ParseContext }) => {
  parentPort?.postMessage({ result: parseWhois(text, context) });
});
parentPort?.postMessage({ isReady: true });
