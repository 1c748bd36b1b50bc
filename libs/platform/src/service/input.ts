import { ValidationPipe } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { type ValidationError, validateSync } from 'class-validator';
import { InvalidRequest } from '../platform.errors.js';
import type { FieldError } from '../problem.js';
import { numberRule, ruleText } from '../rule-text.js';

/** The largest body that a JSON route accepts, in bytes (S94). */
export const JSON_BODY_LIMIT_BYTES = 256 * 1024;
const DEPTH_MAX = 20;
const ARRAY_LENGTH_MAX = 1000;
const STRING_LENGTH_MAX = 10 * 1024;

/** The validation rules: unknown members are refused, and nothing is converted implicitly (S90). */
const RULES = {
  whitelist: true,
  forbidNonWhitelisted: true,
  forbidUnknownValues: true,
  stopAtFirstError: true,
} as const;

/** Returns the pipe that validates all input. */
export function inputValidation(): ValidationPipe {
  return new ValidationPipe({
    ...RULES,
    transform: true,
    transformOptions: { enableImplicitConversion: false },
    exceptionFactory: (errors) => new InvalidRequest(errors.flatMap((e) => fieldErrors(e))),
  });
}

/**
 * Validates parsed JSON as `inputValidation` does, for code outside a Nest route. @returns one fault for each invalid
 * member.
 */
export function faultsOf(type: new () => object, value: unknown): FieldError[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return [{ field: 'body', message: 'must be a JSON object' }];
  }
  return validateSync(plainToInstance(type, value), RULES).flatMap((error) => fieldErrors(error));
}

function fieldErrors(error: ValidationError, prefix = ''): FieldError[] {
  const field = `${prefix}${error.property}`;
  const own = messagesOf(error).map((message) => ({ field, message }));
  return [...own, ...(error.children ?? []).flatMap((child) => fieldErrors(child, `${field}.`))];
}

function messagesOf({ target, property, constraints = {} }: ValidationError): string[] {
  const type = target?.constructor as (new () => object) | undefined;
  const rule = type && numberRule(type, property, constraints);
  if (rule !== undefined) return [rule];
  return Object.values(constraints).map((text) => ruleText(property, text));
}

/**
 * Checks the shape of parsed JSON before other code reads it: depth, array lengths, string lengths, and member names
 * that would reach an object's prototype (S69, S94).
 * @throws InvalidRequest that names the limit.
 */
export function checkJsonShape(value: unknown, depth = 0): void {
  const refuse = (message: string) => new InvalidRequest([{ field: 'body', message }]);
  if (depth > DEPTH_MAX) throw refuse(`must not be nested deeper than ${DEPTH_MAX}`);
  if (typeof value === 'string' && value.length > STRING_LENGTH_MAX) {
    throw refuse(`must not contain a string longer than ${STRING_LENGTH_MAX}`);
  }
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value) && value.length > ARRAY_LENGTH_MAX) {
    throw refuse(`must not contain an array longer than ${ARRAY_LENGTH_MAX}`);
  }
  for (const [name, member] of Object.entries(value)) {
    if (name === '__proto__' || name === 'constructor' || name === 'prototype') {
      throw refuse(`must not have a member named ${name}`);
    }
    checkJsonShape(member, depth + 1);
  }
}
