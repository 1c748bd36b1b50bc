import { getMetadataStorage } from 'class-validator';

/**
 * Returns class-validator's message about a property without the property's name, because the caller already names the
 * field or setting. `name must be a string` → `must be a string`.
 */
export function ruleText(property: string, text: string): string {
  if (text === `property ${property} should not exist`) return 'is not known here';
  const each = `each value in ${property} `;
  if (text.startsWith(each)) return `each value ${text.slice(each.length)}`;
  return text.startsWith(`${property} `) ? text.slice(property.length + 1) : text;
}

/** The names of class-validator's rules for numbers. */
const KINDS = new Map([
  ['isInt', 'a whole number'],
  ['isNumber', 'a number'],
]);
const BOUNDS = ['min', 'max'];

/**
 * Describes the rules of a number in one sentence: `must be a whole number from 1 to 64`. A text that is not a number
 * violates each rule, and one sentence is enough.
 * @param broken the violated rules, by name.
 * @returns undefined if the property is not a number, is a list, or violates rules that are not about numbers.
 */
export function numberRule(
  target: new () => object,
  property: string,
  broken: Record<string, string>,
): string | undefined {
  const rules = getMetadataStorage()
    .getTargetValidationMetadatas(target, '', false, false)
    .filter(({ propertyName }) => propertyName === property);
  const kind = rules.map(({ name = '' }) => KINDS.get(name)).find((text) => text !== undefined);
  const isOther = (name: string) => !KINDS.has(name) && !BOUNDS.includes(name);
  const isOfOne = !rules.some(({ each }) => each);
  if (kind === undefined || !isOfOne || Object.keys(broken).some(isOther)) return undefined;
  const bound = (rule: string): unknown =>
    rules.find(({ name }) => name === rule)?.constraints?.[0] as unknown;
  const [min, max] = BOUNDS.map(bound);
  if (min !== undefined && max !== undefined) return `must be ${kind} from ${min} to ${max}`;
  if (min !== undefined) return `must be ${kind}, ${min} or more`;
  return max === undefined ? `must be ${kind}` : `must be ${kind}, ${max} or less`;
}
