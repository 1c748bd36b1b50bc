import { IS_OPTIONAL, getMetadataStorage } from 'class-validator';
import { targetConstructorToSchema } from 'class-validator-jsonschema';
import { REFUSED_MEMBERS, type ItemClass, isItemClass } from '../bulk.js';
import { isNullableRule } from '../../nullable.js';
import type { DataClass, JsonSchema } from '../parameter.js';
import { membersWithMembers, nestedTypes } from '../reading/answer-members.js';
import memberTexts from './member-texts.json' with { type: 'json' };

type Options = NonNullable<Parameters<typeof targetConstructorToSchema>[1]>;

/** The JSON Schemas of our own validation rules, and of rules that the library describes differently. */
const OF_RULES: Options['additionalConverters'] = {
  // Without a format, many generators of clients choose 32 bits, which are too few for amounts of money and for sizes.
  isInt: { type: 'integer', format: 'int64' },
  isIso8601: { type: 'string', format: 'date-time' },
  isObject: { type: 'object', additionalProperties: true },
  isAddressBlock: { type: 'string' },
  isInvoiceText: { type: 'string' },
  isEmailAddress: { type: 'string', format: 'email' },
};

const PREFIX = '#/components/schemas/';
/**
 * The member that is in every answer, whatever is selected. (`meta`, which no class declares, is also in every answer.)
 */
const NEVER_CUT = 'status';

/** How a class's schema is used. Only in a body may `null` stand for a member that is left out. */
type Use = 'body' | 'answer';

interface ObjectSchema extends JsonSchema {
  properties?: Record<string, JsonSchema>;
  required?: string[];
}

/** Schemas of decorated classes and of those nested in them, by name. */
export class Schemas {
  private readonly classes = new Map<string, DataClass>();
  private readonly schemas = new Map<string, JsonSchema>();
  /** Classes whose members a caller may select, so that only `status` is required. */
  private readonly cut = new Set<DataClass>();

  /** @param selectable the classes of answers whose members a caller may select. */
  constructor(selectable: readonly DataClass[]) {
    for (const type of selectable) if (!isItemClass(type)) this.cut.add(type);
    for (const type of this.cut) for (const below of membersWithMembers(type)) this.cut.add(below);
  }

  /**
   * Returns a reference to the schema of a class. A class that is both body and answer must first be referred to as a
   * body.
   * @throws if two classes have the same name.
   */
  refer(type: DataClass, use: Use = 'answer'): JsonSchema {
    const known = this.classes.get(type.name);
    if (known !== undefined && known !== type)
      throw new Error(`two classes are named ${type.name}`);
    if (known === undefined) this.add(type, use);
    return { $ref: PREFIX + type.name };
  }

  /** Returns the schemas by name, in alphabetical order. */
  all(): Record<string, JsonSchema> {
    return Object.fromEntries([...this.schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  private add(type: DataClass, use: Use): void {
    this.classes.set(type.name, type);
    const own = this.describe(type, use);
    this.schemas.set(type.name, isItemClass(type) ? this.eitherWay(type, own) : own);
    for (const name of Object.keys(own.properties ?? {})) {
      const nested = nestedTypes.findTypeMetadata(type, name);
      if (nested) this.refer(nested.typeFunction(), use);
    }
  }

  private describe(type: DataClass, use: Use): ObjectSchema {
    const { required = [], ...schema } = targetConstructorToSchema(type, {
      classTransformerMetadataStorage: nestedTypes as never,
      refPointerPrefix: PREFIX,
      additionalConverters: OF_RULES,
    }) as ObjectSchema;
    const rules = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
    const nullable = rules.filter(isNullableRule).map(({ propertyName }) => propertyName);
    const optional = rules
      .filter(({ name }) => name === IS_OPTIONAL)
      .map(({ propertyName }) => propertyName);
    const mayBeNull = use === 'body' ? [...nullable, ...optional] : nullable;
    const properties = Object.entries(schema.properties ?? {}).map(([name, one]) => [
      name,
      { ...(mayBeNull.includes(name) ? orNull(one) : one), ...describedAs(type, name) },
    ]);
    const sure = [...required, ...nullable].filter(
      (name) => !this.cut.has(type) || name === NEVER_CUT,
    );
    return {
      ...schema,
      ...describedAs(type, ''),
      properties: Object.fromEntries(properties) as object as Record<string, JsonSchema>,
      ...(sure.length > 0 && { required: sure }),
    };
  }

  /** Returns the schema of an item in a list of items. `status` tells whether the item was answered or rejected. */
  private eitherWay({ answer }: ItemClass, { properties = {} }: ObjectSchema): JsonSchema {
    const place = {
      type: 'object',
      properties: { index: properties.index, status: { const: true } },
      required: ['index', 'status'],
    };
    const refused = {
      type: 'object',
      properties: { ...properties, status: { const: false } },
      required: REFUSED_MEMBERS,
    };
    return { anyOf: [{ allOf: [place, this.refer(answer)] }, refused] };
  }
}

/** Returns the comment, if any, of a class or of one of its members, which may be inherited, as a `description`. */
function describedAs(type: DataClass, member: string): { description?: string } {
  const texts: Record<string, Record<string, string | undefined> | undefined> = memberTexts;
  for (let one = type; one.name !== ''; one = Object.getPrototypeOf(one) as DataClass) {
    const text = texts[one.name]?.[member];
    if (text !== undefined) return { description: text };
    if (member === '') break;
  }
  return {};
}

function orNull(schema: JsonSchema): JsonSchema {
  const isPlain = typeof schema.type === 'string' && schema.enum === undefined;
  return isPlain
    ? { ...schema, type: [schema.type, 'null'] }
    : { anyOf: [schema, { type: 'null' }] };
}
