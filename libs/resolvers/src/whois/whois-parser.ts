import type { ParserWorker } from './parse/parser-worker.js';

/** Reads a decoded port-43 text; resolves to `parse_failed` rather than rejecting. */
export type WhoisParser = Pick<ParserWorker, 'parse'>;
