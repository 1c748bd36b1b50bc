import { Type } from 'class-transformer';
import { ValidateBy, ValidateNested, type ValidationArguments } from 'class-validator';

/** RFC 3339 in UTC: `2026-01-31T12:00:00Z`, with up to three decimals of a second. */
const INSTANT = /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,3})?Z$/;

type VariantClass = new () => object;

/** The classes of each member, by the class that declares the member and then by the member's name. */
const variants = new Map<object, Map<string, VariantClass[]>>();

/** Requires a time as text in UTC, so that readers need no time zone. */
export function IsInstant(): PropertyDecorator {
  const message = '$property must be an RFC 3339 instant in UTC';
  return ValidateBy({ name: 'isInstant', validator: { validate: isInstant, ...text(message) } });
}

/** Requires the member to be later than another time of the same object or, with `orEqual`, equal to it. */
export function IsAfter(member: string, { orEqual = false } = {}): PropertyDecorator {
  const relation = orEqual ? 'at or after' : 'after';
  const isAfter = (value: unknown, other: unknown) => {
    const difference = Date.parse(String(value)) - Date.parse(String(other));
    return orEqual ? difference >= 0 : difference > 0;
  };
  return compare('isAfter', member, `${relation} ${member}`, isAfter);
}

/** Requires the member, a whole number as a decimal string, not to exceed another member of the same object. */
export function IsAtMost(member: string): PropertyDecorator {
  const isAtMost = (value: unknown, other: unknown) =>
    isWhole(value) && isWhole(other) && BigInt(value) <= BigInt(other);
  return compare('isAtMost', member, `at most ${member}`, isAtMost);
}

/**
 * Declares a member that holds objects of several classes, distinguished by one of their members; each object is
 * validated by its own class. Any other value is validated by `otherwise`, whose rules must reject it.
 */
export function OneOf(
  discriminator: string,
  classes: Record<string, VariantClass>,
  otherwise: VariantClass,
): PropertyDecorator {
  const subTypes = Object.entries(classes).map(([name, value]) => ({ name, value }));
  const options = {
    keepDiscriminatorProperty: true,
    discriminator: { property: discriminator, subTypes },
  };
  return (target, name) => {
    Type(() => otherwise, options)(target, name);
    ValidateNested({ each: true })(target, name);
    const members = variants.get(target.constructor) ?? new Map<string, VariantClass[]>();
    variants.set(target.constructor, members.set(String(name), Object.values(classes)));
  };
}

/**
 * Returns the classes that a member may hold, for the generated documents; undefined if it is not declared with
 * `OneOf`.
 */
export function variantsOf(target: object, name: string): VariantClass[] | undefined {
  return variants.get(target)?.get(name);
}

function compare(
  name: string,
  member: string,
  description: string,
  holds: (value: unknown, other: unknown) => boolean,
): PropertyDecorator {
  const validate = (value: unknown, rule: ValidationArguments | undefined) =>
    holds(value, (rule?.object as Record<string, unknown> | undefined)?.[member]);
  const validator = { validate, ...text(`$property must be ${description}`) };
  return ValidateBy({ name, constraints: [description], validator });
}

const text = (message: string) => ({ defaultMessage: () => message });

function isInstant(value: unknown): boolean {
  if (typeof value !== 'string' || !INSTANT.test(value)) return false;
  const read = new Date(value);
  // `Date` would turn a day that the month does not have into a day of the next month.
  return !Number.isNaN(read.getTime()) && read.toISOString().startsWith(value.slice(0, 19));
}

function isWhole(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9]+$/.test(value);
}
