export * from './record.js';
export { parseWhois, type ParseContext, type ParseResult } from './whois/parse/parse-whois.js';
export { ParserWorker, type ParserWorkerOptions } from './whois/parse/parser-worker.js';
