import { type ExecutionContext, createParamDecorator } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { InvalidRequest } from '#libs/platform';
import { InputReader } from './input-reader.js';
import { type Operation, type Version } from '../operation.js';
import type { ValuesOf } from '../parameter.js';

/** The request as an owner's controller gets it: the parameters' values and the version. */
export type QuestionOf<O extends Operation> =
  O extends Operation<infer P> ? ValuesOf<P> & { version: Version } : never;

type QueryString = Record<string, string | string[]>;

/**
 * Gives an owner's controller the parameters of a row, read by the gateway's reader: `@Question(WHOIS_LIVE) question:
 * QuestionOf<typeof WHOIS_LIVE>`.
 * @throws InvalidRequest naming every fault.
 */
export function Question(operation: Operation): ParameterDecorator {
  const readers = readersOf(operation);
  const read = (_data: unknown, context: ExecutionContext) => {
    const { query, params } = context.switchToHttp().getRequest<FastifyRequest>();
    return questionOf(readers, query as QueryString, params as Record<string, string>);
  };
  return createParamDecorator(read)();
}

type Readers = ReadonlyMap<string, { version: Version; reader: InputReader }>;

function readersOf(operation: Operation): Readers {
  const versions = new Set(operation.routes.map(({ version }) => version));
  return new Map(
    [...versions].map((version) => [
      String(version),
      { version, reader: new InputReader(operation, { version }) },
    ]),
  );
}

function questionOf(readers: Readers, query: QueryString, params: Record<string, string>) {
  const names: string[] = [];
  const values: string[] = [];
  const { version: asked, ...rest } = query;
  for (const [name, given] of [...Object.entries(rest), ...Object.entries(params)]) {
    for (const value of Array.isArray(given) ? given : [given]) {
      names.push(name);
      values.push(value);
    }
  }
  const [newest] = readers.values();
  const used = asked === undefined ? newest : readers.get(String(asked));
  if (used === undefined) {
    const known = [...readers.keys()].join(', ');
    throw new InvalidRequest([{ field: 'version', message: `must be one of ${known}` }]);
  }
  const input = used.reader.read(names, values);
  if (input.faults) throw new InvalidRequest(input.faults);
  return { ...used.reader.valuesOf(input), version: used.version };
}
