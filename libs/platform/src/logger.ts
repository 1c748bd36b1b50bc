import type { LoggerService } from '@nestjs/common';
import { type DestinationStream, type Logger as PinoLogger, pino } from 'pino';
import { SparseLines } from './sparse-lines.js';
import { contextFields, currentContext } from './telemetry/request-context.js';

// The underscore and the equals sign may also be encoded, as in URLs within URLs.
const API_KEY = /dds(?:_|%5f)(live|test)(?:_|%5f)[0-9A-Za-z]+/gi;
const KEY_PARAMETER = /(apiKey(?:=|%3d))[^&\s"']+/gi;
const CAUSES_MAX = 5;
/** How many of the errors in an `AggregateError` are logged, and how deep such errors may be nested. */
const PARTS_MAX = 3;
const NESTED_MAX = 1;
const TEXT_LENGTH_MAX = 16_384;

/** Replaces anything that looks like an API key. Applied to every line that is logged (S8). */
export function maskKeys(text: string): string {
  return text.replace(API_KEY, 'dds_$1_***').replace(KEY_PARAMETER, '$1***');
}

/**
 * Writes structured log lines with time, level, service, and the ids of the request to which they belong. `destination`
 * is standard output unless given; every line passes through `maskKeys`, so a key in an error message or a URL cannot
 * reach the log.
 */
export class Logger implements LoggerService {
  private readonly pino: PinoLogger;
  private readonly sparse = new SparseLines();

  constructor(service: string, destination?: DestinationStream, level = 'info') {
    const out = destination ?? process.stdout;
    this.pino = pino(
      {
        level,
        base: { service },
        formatters: { level: (label) => ({ level: label }) },
        mixin: () => contextFields(currentContext()),
        timestamp: pino.stdTimeFunctions.isoTime,
        // pino's own error serializer copies every member.
        serializers: { err: (fields: object) => fields },
      },
      { write: (line: string) => out.write(maskKeys(line)) },
    );
  }

  /** False if `debug` lines are discarded, so that they need not be composed. */
  get isDebug(): boolean {
    return this.pino.isLevelEnabled('debug');
  }

  debug(message: string, fields?: unknown): void {
    this.pino.debug(asFields(fields), message);
  }

  info(message: string, fields: object = {}): void {
    this.pino.info(asFields(fields), message);
  }

  warn(message: string, fields?: unknown): void {
    this.pino.warn(asFields(fields), message);
  }

  /** Logs an error with its chain of causes, which public texts never contain. */
  error(message: string, fields?: unknown): void {
    this.pino.error(asFields(fields), message);
  }

  /**
   * Logs, as `warn` or `error`, lines that every request of a flood would cause. The first line of a kind is logged at
   * once. After that, one line per minute has the `count` of lines that it represents and the fields of the last one.
   */
  sparsely(level: 'warn' | 'error', kind: string, message: string, fields: object): void {
    this.sparse.add(kind, (count) =>
      this[level](message, count === 1 ? fields : { ...fields, count }),
    );
  }

  /** Logs Nest's own lines as `debug` lines. */
  log(message: unknown, context?: unknown): void {
    this.pino.debug(asFields(context), String(message));
  }
}

function asFields(fields: unknown): object {
  if (fields instanceof Error) return { err: errorFields(fields) };
  if (typeof fields !== 'object' || fields === null) return { context: short(fields) };
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, asField(value)]));
}

function asField(value: unknown): unknown {
  return value instanceof Error ? errorFields(value) : short(value);
}

/**
 * Returns the fields to log for an error and its causes. Other members are never logged: a database driver's error
 * carries the statement's parameters and the rejected row, which contain personal data (S119).
 */
function errorFields(error: Error, depth = 0): object {
  const { name, message, stack, cause } = error;
  const { code } = error as { code?: unknown };
  return {
    type: name === 'Error' ? error.constructor.name : name,
    message: short(message),
    ...(typeof code === 'string' && { code }),
    stack: short(stack),
    ...(cause instanceof Error && depth < CAUSES_MAX && { cause: errorFields(cause, depth + 1) }),
    ...(error instanceof AggregateError && depth <= NESTED_MAX && partsOf(error, depth + 1)),
  };
}

/** Returns the fields of the first errors of several, because the message of an `AggregateError` names none of them. */
const partsOf = ({ errors }: AggregateError, depth: number) => ({
  errors: errors
    .slice(0, PARTS_MAX)
    .map((part: unknown) => (part instanceof Error ? errorFields(part, depth) : String(part))),
});

/** Cuts a string of more than 16,384 characters and adds its length; returns other values unchanged. */
function short(value: unknown): unknown {
  if (typeof value !== 'string' || value.length <= TEXT_LENGTH_MAX) return value;
  return `${value.slice(0, TEXT_LENGTH_MAX)}… (${value.length} characters)`;
}
