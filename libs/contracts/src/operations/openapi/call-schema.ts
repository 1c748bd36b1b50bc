import { type Operation, newestVersion } from '../operation.js';
import type { JsonSchema } from '../parameter.js';
import { Schemas } from './schemas.js';

/** The member of `callSchema` for the header `Idempotency-Key`. */
export const IDEMPOTENCY_MEMBER = 'idempotency_key';

/**
 * Returns the JSON Schema of everything that a call of an operation contains, as one object: the parameters of the
 * newest version, the body as `body`, and the idempotency key. Schemas of the body's classes are below `$defs`.
 */
export function callSchema(row: Operation): JsonSchema {
  const { parameters, body, takesIdempotencyKey } = row;
  const version = newestVersion(row);
  const { when } = row.routes.find((route) => route.version === version)!;
  const known = Object.entries(parameters).filter(([, { since = 1 }]) => since <= version);
  const properties = known.map(
    ([name, { kind, about, default: fallback }]): [string, JsonSchema] => [
      name,
      { ...kind.schema, description: about, ...(fallback !== undefined && { default: fallback }) },
    ],
  );
  const required = known
    .filter(
      ([name, { isRequired, in: place }]) =>
        isRequired || place === 'path' || (when?.parameter === name && !when.isDefault),
    )
    .map(([name]) => name);
  const schemas = new Schemas([]);
  if (body) {
    properties.push(['body', schemas.refer(body.of, 'body')]);
    required.push('body');
  }
  if (takesIdempotencyKey) {
    const description = 'Equal calls with the same key take effect only once.';
    properties.push([IDEMPOTENCY_MEMBER, { type: 'string', description }]);
  }
  const schema = {
    type: 'object',
    properties: Object.fromEntries(properties) as Record<string, JsonSchema>,
    ...(required.length > 0 && { required }),
    additionalProperties: false,
    ...(body && { $defs: schemas.all() }),
  };
  return JSON.parse(
    JSON.stringify(schema).replaceAll('#/components/schemas/', '#/$defs/'),
  ) as JsonSchema;
}
