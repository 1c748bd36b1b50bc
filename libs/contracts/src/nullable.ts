import { ValidateIf } from 'class-validator';

const isGiven = (_: object, value: unknown) => value !== null;

/**
 * Declares a member that is always present and is `null` without a value. For a member that may be absent, use
 * `IsOptional`.
 */
export const IsNullable = (): PropertyDecorator => ValidateIf(isGiven);

/** Whether a rule of class-validator was set by `IsNullable`. */
export const isNullableRule = ({ constraints }: { constraints?: unknown[] }): boolean =>
  constraints?.[0] === isGiven;
