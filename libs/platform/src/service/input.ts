import { ValidationPipe } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { type ValidationError, validateSync } from 'class-validator';
import { InvalidRequest, PayloadTooLarge } from '../platform.errors.js';
import type { FieldError } from '../problem.js';
import { numberRule, ruleText } from '../rule-text.js';

/** The largest body that a JSON route accepts, in bytes (S94). */
export const JSON_BODY_LIMIT_BYTES = 256 * 1024;
const DEPTH_MAX = 20;
const ARRAY_LENGTH_MAX = 1000;
const MEMBERS_MAX = 1000;
/** The maximum number of faults that are reported; each one takes time on its way to the customer. */
const FAULTS_MAX = 50;
const STRING_LENGTH_MAX = 10 * 1024;

/** The maximum number of values in a customer's body: several arrays of the maximum length. */
const BODY_VALUES_MAX = 5_000;
const [QUOTE, BACKSLASH, COMMA, BRACKET, BRACE] = Buffer.from('"\\,[{');

/** The validation rules: unknown members are refused, and nothing is converted implicitly (S90). */
const RULES = {
  whitelist: true,
  forbidNonWhitelisted: true,
  forbidUnknownValues: true,
  stopAtFirstError: true,
} as const;

export function inputValidation(): ValidationPipe {
  return new ValidationPipe({
    ...RULES,
    transform: true,
    transformOptions: { enableImplicitConversion: false },
    exceptionFactory: (errors) => new InvalidRequest(toldFaults(errors)),
  });
}

/**
 * Validates parsed JSON as `inputValidation` does, for code outside a Nest route.
 * @returns the faults, at most 50; empty if the value is valid.
 */
export function faultsOf(type: new () => object, value: unknown): FieldError[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return [{ field: 'body', message: 'must be a JSON object' }];
  }
  return toldFaults(validateSync(plainToInstance(type, value), RULES));
}

const toldFaults = (errors: ValidationError[]) =>
  errors
    .slice(0, FAULTS_MAX)
    .flatMap((error) => fieldErrors(error))
    .slice(0, FAULTS_MAX);

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
 * Checks that a customer's JSON contains at most `valuesMax` values (5,000 by default) at all depths, before it is
 * parsed: parsing tens of thousands of members takes longer than many requests (S94). An empty list or object counts as
 * two values.
 * @throws PayloadTooLarge that names the limit.
 */
export function checkJsonText(text: string, valuesMax = BODY_VALUES_MAX): void {
  let values = 1;
  let isString = false;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === QUOTE) isString = !isString;
    else if (isString) at += char === BACKSLASH ? 1 : 0;
    else if (char === COMMA || char === BRACKET || char === BRACE) values++;
    if (values > valuesMax) throw tooLarge(`more than ${valuesMax} values`);
  }
}

/**
 * Checks the shape of parsed JSON before other code reads it: depth, array lengths, numbers of members, string lengths,
 * and member names that would reach an object's prototype (S69, S94).
 * @param stringMax the maximum length of a string.
 * @throws InvalidRequest, or PayloadTooLarge for an array that is too long, each naming the limit.
 */
export function checkJsonShape(json: unknown, stringMax = STRING_LENGTH_MAX): void {
  const check = (value: unknown, depth: number) => {
    if (depth > DEPTH_MAX) throw refusal(`must not be nested deeper than ${DEPTH_MAX}`);
    if (typeof value === 'string' && value.length > stringMax) {
      throw refusal(`must not contain a string longer than ${stringMax} characters`);
    }
    if (typeof value !== 'object' || value === null) return;
    if (Array.isArray(value) && value.length > ARRAY_LENGTH_MAX) {
      throw tooLarge(`an array of more than ${ARRAY_LENGTH_MAX} items`);
    }
    const members = Object.entries(value);
    if (members.length > MEMBERS_MAX) {
      throw refusal(`must not contain an object with more than ${MEMBERS_MAX} members`);
    }
    for (const [name, member] of members) {
      if (name === '__proto__' || name === 'constructor' || name === 'prototype') {
        throw refusal(`must not have a member named ${name}`);
      }
      check(member, depth + 1);
    }
  };
  check(json, 0);
}

const refusal = (message: string) => new InvalidRequest([{ field: 'body', message }]);
const tooLarge = (contents: string) =>
  new PayloadTooLarge(`The request body must not contain ${contents}.`);
