import { WRONGLY_ENCODED } from '#libs/contracts';
import { type FieldError, InvalidRequest, faultsOf } from '#libs/platform';
import { UnexpectedBody } from '#libs/public-http';
import type { FastifyRequest } from 'fastify';
import type { ProxiedRoute } from './proxied-route.js';

type Asked = Pick<FastifyRequest, 'url' | 'params' | 'body'>;

/** Maximum number of parameters, as in the API. Comparing each unknown parameter with the known ones takes time. */
const PARAMETERS_MAX = 32;

export interface CallInput {
  /** The owner's path with the query. Each value from the public path is one segment. */
  path: string;
  body?: object;
}

/**
 * Reads a browser's call as its operation describes it, before the owner is called.
 * @throws InvalidRequest that names every fault; UnexpectedBody.
 */
export function readCall(route: ProxiedRoute, request: Asked): CallInput {
  const { reader, owner, body: expected, method } = route;
  const params = request.params as Record<string, string>;
  const pairs = [...Object.entries(params), ...pairsOf(queryOf(request.url))];
  const input = reader.read(
    pairs.map(([name]) => name),
    pairs.map(([, value]) => value),
  );
  const body = request.body === undefined && hasBody(method) ? {} : request.body;
  if (!expected && !isEmpty(body)) throw new UnexpectedBody();
  const faults: FieldError[] = [
    ...(input.faults ?? []),
    ...(expected ? faultsOf(expected.of, body) : []),
  ];
  if (faults.length > 0) throw new InvalidRequest(faults);
  const query = reader.queryOf(input).replace('&', '?');
  const path = pathOf(owner.path, params) + query;
  return { path, body: body as object | undefined };
}

/** Returns the owner's path for a signed call, which is forwarded as its sender wrote it. */
export function signedPath({ owner }: ProxiedRoute, { url, params }: Asked): string {
  const query = queryOf(url);
  return pathOf(owner.path, params as Record<string, string>) + (query && `?${query}`);
}

function pathOf(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(values[name] ?? ''),
  );
}

function queryOf(url: string): string {
  const mark = url.indexOf('?');
  return mark === -1 ? '' : url.slice(mark + 1);
}

/** @throws InvalidRequest if there are too many parameters. */
function pairsOf(query: string): [string, string][] {
  const parts = query.split('&', PARAMETERS_MAX + 1);
  if (parts.length > PARAMETERS_MAX) {
    const message = `must not have more than ${PARAMETERS_MAX} parameters`;
    throw new InvalidRequest([{ field: 'query', message }]);
  }
  return parts
    .filter((part) => part !== '')
    .map((part) => {
      const equals = part.indexOf('=');
      if (equals === -1) return [decoded(part), ''];
      return [decoded(part.slice(0, equals)), decoded(part.slice(equals + 1))];
    });
}

/** Decodes a value as browsers encode forms: `+` is a space. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return WRONGLY_ENCODED;
  }
}

/** Whether a body is empty. Scripts send an empty object if no body is needed. */
const isEmpty = (body: unknown) =>
  body === undefined ||
  (typeof body === 'object' &&
    body !== null &&
    !Array.isArray(body) &&
    Object.keys(body).length === 0);

const hasBody = (method: string) => ['POST', 'PUT', 'PATCH'].includes(method);
