import { ValidateIf } from 'class-validator';

const isGiven = (_: object, value: unknown) => value !== null;

/** For a member that is always present, and `null` if it has no value. For an optional member, use `IsOptional`. */
export const IsNullable = (): PropertyDecorator => ValidateIf(isGiven);

/** Whether a rule of class-validator was set by `IsNullable`. */
export const isNullableRule = ({ constraints }: { constraints?: unknown[] }): boolean =>
  constraints?.[0] === isGiven;
