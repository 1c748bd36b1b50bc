import { IS_OPTIONAL, getMetadataStorage } from 'class-validator';
import { targetConstructorToSchema } from 'class-validator-jsonschema';
import type { DataClass } from '../operation.js';
import type { JsonSchema } from '../parameter.js';
import { nestedTypes } from '../reading/answer-members.js';

type Options = NonNullable<Parameters<typeof targetConstructorToSchema>[1]>;

/** JSON Schema of validation rules: our own, which the library cannot know, and one that it describes too strictly. */
const OF_RULES: Options['additionalConverters'] = {
  isIso8601: { type: 'string', anyOf: [{ format: 'date' }, { format: 'date-time' }] },
  isAddressBlock: { type: 'string' },
  isInvoiceText: { type: 'string' },
  isEmailAddress: { type: 'string', format: 'email' },
};

const PREFIX = '#/components/schemas/';

interface ObjectSchema extends JsonSchema {
  properties?: Record<string, JsonSchema>;
}

/** Schemas of decorated classes and of those nested in them, by name. */
export class Schemas {
  private readonly classes = new Map<string, DataClass>();
  private readonly schemas = new Map<string, JsonSchema>();

  /**
   * @returns a reference to the schema of a class.
   * @throws when two classes have one name.
   */
  refer(type: DataClass): JsonSchema {
    const known = this.classes.get(type.name);
    if (known !== undefined && known !== type)
      throw new Error(`two classes are named ${type.name}`);
    if (known === undefined) this.add(type);
    return { $ref: PREFIX + type.name };
  }

  /** In the order of their names. */
  all(): Record<string, JsonSchema> {
    return Object.fromEntries([...this.schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  private add(type: DataClass): void {
    this.classes.set(type.name, type);
    const schema = targetConstructorToSchema(type, {
      classTransformerMetadataStorage: nestedTypes as never,
      refPointerPrefix: PREFIX,
      additionalConverters: OF_RULES,
    }) as ObjectSchema;
    const properties = Object.entries(schema.properties ?? {}).map(([name, own]) => [
      name,
      mayBeNull(type, name) ? orNull(own) : own,
    ]);
    this.schemas.set(type.name, {
      ...schema,
      properties: Object.fromEntries(properties) as object,
    });
    for (const name of Object.keys(schema.properties ?? {})) {
      const nested = nestedTypes.findTypeMetadata(type, name);
      if (nested) this.refer(nested.typeFunction());
    }
  }
}

/** What `IsOptional` lets pass, which the library takes for a member that is merely left out. */
function mayBeNull(type: DataClass, member: string): boolean {
  return getMetadataStorage()
    .getTargetValidationMetadatas(type, '', false, false)
    .some(({ name, propertyName }) => name === IS_OPTIONAL && propertyName === member);
}

function orNull(schema: JsonSchema): JsonSchema {
  const isPlain = typeof schema.type === 'string' && schema.enum === undefined;
  return isPlain
    ? { ...schema, type: [schema.type, 'null'] }
    : { anyOf: [schema, { type: 'null' }] };
}
