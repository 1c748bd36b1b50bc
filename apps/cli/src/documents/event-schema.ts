import { plainToInstance } from 'class-transformer';
import { getMetadataStorage } from 'class-validator';
import { type EventClass, describeEvent, variantsOf } from '#libs/contracts';

export type JsonSchema = Record<string, unknown>;

interface Rule {
  type: string;
  name?: string;
  propertyName: string;
  constraints?: unknown[];
  /** Whether the rule applies to the items of an array. */
  each: boolean;
}

/** Thrown for a rule without a keyword, because a schema without the rule would be less strict than the class. */
class RuleWithoutKeyword extends Error {}

/**
 * Derives the JSON Schema 2020-12 of an event's `data` from the validation rules of its class. @throws
 * RuleWithoutKeyword.
 */
export function eventSchema(eventClass: EventClass): JsonSchema {
  const { type, version, kind } = describeEvent(eventClass);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `${type}.v${version}.json`,
    title: `${type}, version ${version}`,
    description: `Data of a ${kind} event.`,
    ...objectSchema(eventClass),
  };
}

function objectSchema(target: EventClass): JsonSchema {
  const rules: Rule[] = getMetadataStorage().getTargetValidationMetadatas(target, '', true, false);
  const names = [...new Set(rules.map(({ propertyName }) => propertyName))];
  const rulesOf = (name: string) => rules.filter(({ propertyName }) => propertyName === name);
  return {
    type: 'object',
    properties: Object.fromEntries(
      names.map((name) => [name, propertySchema(target, rulesOf(name))]),
    ),
    required: names.filter((name) => !isOptional(rulesOf(name))),
  };
}

/** Whether a property is optional; class-validator stores `@IsOptional` as a condition on the other rules. */
export const isOptional = (rules: { type: string }[]) =>
  rules.some(({ type }) => type === 'conditionalValidation');

function propertySchema(target: EventClass, rules: Rule[]): JsonSchema {
  const isArray = rules.some(({ each }) => each);
  const schema = (part: Rule[]) => {
    const counted = part.filter(({ type }) => type !== 'conditionalValidation');
    return Object.assign({}, ...counted.map((rule) => keywordsOf(target, rule))) as JsonSchema;
  };
  if (!isArray) return schema(rules);
  const [items, whole] = [true, false].map((each) => rules.filter((rule) => rule.each === each));
  return { type: 'array', ...schema(whole), items: schema(items) };
}

/** Finds the class that `@Type` names, by creating an instance. */
function nestedClass(target: EventClass, name: string, isArray: boolean): EventClass {
  const plain = { [name]: isArray ? [{}] : {} };
  const value = (plainToInstance(target, plain) as Record<string, object | object[]>)[name];
  const nested = Array.isArray(value) ? value[0] : value;
  return nested.constructor as EventClass;
}

function keywordsOf(target: EventClass, rule: Rule): JsonSchema {
  const { constraints, propertyName, each } = rule;
  const [first, second] = constraints ?? [];
  if (rule.type === 'nestedValidation') {
    const variants = variantsOf(target, propertyName);
    if (variants) return { oneOf: variants.map((variant) => objectSchema(variant)) };
    return objectSchema(nestedClass(target, propertyName, each));
  }
  switch (rule.name) {
    case 'isString':
      return { type: 'string' };
    case 'isInt':
      return { type: 'integer' };
    case 'isBoolean':
      return { type: 'boolean' };
    case 'isUuid':
      return { type: 'string', format: 'uuid' };
    case 'isIso8601':
    case 'isInstant':
      return { type: 'string', format: 'date-time' };
    case 'isAfter':
    case 'isAtMost':
      return { description: first };
    case 'matches':
      return { type: 'string', pattern: (first as RegExp).source };
    case 'isIn':
      return { enum: first };
    case 'isLength':
      return { type: 'string', minLength: first, maxLength: second };
    case 'min':
      return { minimum: first };
    case 'max':
      return { maximum: first };
    case 'arrayMinSize':
      return { minItems: first };
    case 'arrayMaxSize':
      return { maxItems: first };
    default:
      throw new RuleWithoutKeyword(
        `${target.name}.${propertyName}: no keyword for the rule ${rule.name}`,
      );
  }
}
