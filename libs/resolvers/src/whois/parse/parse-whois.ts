import type { LookupOutcome, RegistrationRecord } from '../../record.js';
import type { ReadyGrammar } from './grammars/grammar.js';
import { grammarFor } from './grammars/grammars.js';
import { statementsOf } from './grammars/statements.js';
import { classify, type Verdict } from './outcome/classifier.js';
import { cleanText } from './reading/clean-text.js';
import { type Line, splitLines } from './reading/lines.js';
import type { RecordDraft } from './reading/record-draft.js';
import { RecordReader } from './reading/record-reader.js';
import { WorkMeter } from './reading/work-meter.js';

/** The query that led to an answer: the server and the name. */
export interface ParseContext {
  /** The requested name, in A-labels; empty if unknown. */
  domain: string;
  /** The port-43 host that answered; empty if unknown. */
  server: string;
  /** The TLD without a dot, or a suffix such as `co.uk`. */
  tld: string;
  role: 'registry' | 'registrar';
}

export interface ParseResult {
  outcome: LookupOutcome;
  /** The published data; only for `delivered` and, with its `restriction`, for `restricted`. */
  record?: RegistrationRecord;
  /** The time that the server named, at most an hour; only for `throttled`. */
  retryAfterSeconds?: number;
}

/**
 * Parses a port-43 answer. The function is pure and never throws, and its work is linear in the length of the text. The
 * outcome is `delivered`, `not_registered`, `restricted`, `throttled`, or `parse_failed` for any other answer.
 */
export function parseWhois(text: string, context: ParseContext): ParseResult {
  return parseMetered(text, context, new WorkMeter());
}

/** Like `parseWhois`, but counts the work. */
export function parseMetered(text: string, context: ParseContext, meter: WorkMeter): ParseResult {
  try {
    return parse(text, context, meter);
  } catch {
    return { outcome: 'parse_failed' };
  }
}

function parse(text: string, context: ParseContext, meter: WorkMeter): ParseResult {
  const grammar = grammarFor(context);
  const lines = splitLines(cleanText(text, meter), meter);
  const domain = context.domain.toLowerCase();
  const { draft, record } = readRecord(lines, grammar, domain, meter);
  const evidence = {
    question: { ...context, domain },
    recordDomain: record.domain,
    isOpenEnded: !/\n\s*$/.test(text.slice(-8)),
    isRecord: isRecord(record) || record.expires !== undefined,
    isThin: !isRecord(record),
    isTrace: draft.hasHandle || isTrace(record),
    statuses: record.statuses,
    server: statementsOf(context),
  };
  return toResult(classify(lines, evidence, meter), record);
}

/**
 * Reads the record of an answer. If nothing is found, tries the layout in which spaces separate columns of keys and
 * values, and uses the result only if it is about the requested name.
 */
function readRecord(
  lines: readonly Line[],
  grammar: ReadyGrammar,
  domain: string,
  meter: WorkMeter,
): { draft: RecordDraft; record: RegistrationRecord } {
  const draft = new RecordReader(grammar, domain, meter).read(lines);
  const record = draft.finish(grammar);
  if (grammar.columns || record.domain !== undefined || isRecord(record)) return { draft, record };
  const columns = { ...grammar, columns: true };
  const second = new RecordReader(columns, domain, meter).read(lines);
  const read = second.finish(columns);
  const isIt = domain !== '' && read.domain === domain;
  return isIt ? { draft: second, record: read } : { draft, record };
}

function toResult(verdict: Verdict, record: RegistrationRecord): ParseResult {
  switch (verdict.kind) {
    case 'found':
      return { outcome: 'delivered', record };
    case 'throttled':
      return { outcome: 'throttled', retryAfterSeconds: verdict.retryAfterSeconds };
    case 'restricted':
      return { outcome: 'restricted', record: { ...record, restriction: verdict.restriction } };
    case 'not_found':
      return { outcome: 'not_registered' };
    default:
      return { outcome: 'parse_failed' };
  }
}

/**
 * Whether enough was read to call the name registered at every server. An expiry date is not enough, because some
 * servers also print one for an application.
 */
function isRecord(record: RegistrationRecord): boolean {
  if (record.created !== undefined) return true;
  if (record.nameServers.length > 0 || record.registrar?.name !== undefined) return true;
  const { registrant, administrative, technical } = record.contacts;
  return [registrant, administrative, technical].some(
    (it) => it?.name !== undefined || it?.organization !== undefined || it?.handle !== undefined,
  );
}

/** Whether less was read than a record contains, but more than an answer about an unregistered name contains. */
function isTrace({ handle, registrar, contacts, dnssec }: RegistrationRecord): boolean {
  if (handle !== undefined || registrar !== undefined) return true;
  return Object.keys(contacts).length > 0 || (dnssec?.ds.length ?? 0) > 0;
}
