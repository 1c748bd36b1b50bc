import type { LoggerService } from '@nestjs/common';
import { type DestinationStream, type Logger as PinoLogger, pino } from 'pino';

const API_KEY = /dds_(live|test)_[0-9A-Za-z]+/g;
const KEY_PARAMETER = /(apiKey=)[^&\s"']+/gi;

/** Replaces anything that looks like an API key. Applied to every line that is logged (S8). */
export function maskKeys(text: string): string {
  return text.replace(API_KEY, 'dds_$1_***').replace(KEY_PARAMETER, '$1***');
}

/**
 * Structured log lines with the service's name. `destination` is standard output unless given; every
 * line passes `maskKeys`, so a key in an error message or a URL cannot reach the log.
 */
export class Logger implements LoggerService {
  private readonly pino: PinoLogger;

  constructor(service: string, destination?: DestinationStream, level = 'info') {
    const out = destination ?? process.stdout;
    this.pino = pino(
      { level, base: { service }, timestamp: pino.stdTimeFunctions.isoTime },
      { write: (line: string) => out.write(maskKeys(line)) },
    );
  }

  info(message: string, fields: object = {}): void {
    this.pino.info(fields, message);
  }

  warn(message: string, fields?: unknown): void {
    this.pino.warn(asFields(fields), message);
  }

  /** `error.cause` chains are logged; public texts never contain them. */
  error(message: string, fields?: unknown): void {
    this.pino.error(asFields(fields), message);
  }

  /** Nest's own lines come through here. */
  log(message: unknown, context?: unknown): void {
    this.pino.debug(asFields(context), String(message));
  }
}

function asFields(fields: unknown): object {
  if (fields instanceof Error) return { err: fields };
  return typeof fields === 'object' && fields !== null ? fields : { context: fields };
}
