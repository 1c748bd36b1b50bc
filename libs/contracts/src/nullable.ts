import { ValidateIf } from 'class-validator';

const isGiven = (_: object, value: unknown) => value !== null;

/** For a member that is always there, and `null` where there is nothing to say. One that is left out is `IsOptional`. */
export const IsNullable = (): PropertyDecorator => ValidateIf(isGiven);

/** Whether a rule of class-validator is the one that `IsNullable` sets. */
export const isNullableRule = ({ constraints }: { constraints?: unknown[] }): boolean =>
  constraints?.[0] === isGiven;
