import { applyDecorators } from '@nestjs/common';
import { Type } from 'class-transformer';
import {
  IsISO8601,
  IsInt,
  IsOptional,
  IsString,
  Min,
  ValidateNested,
  type ValidationOptions,
} from 'class-validator';
import { IsNullable } from './nullable.js';

type TypeOf = Parameters<typeof Type>[0];

// Each combination names its parts from last to first, as decorators above a member are applied. So generated documents
// list the rules of all members in the same order.

/** Declares a text, or with `each` a list of texts, that may be absent. */
export const OptionalText = (options?: ValidationOptions): PropertyDecorator =>
  applyDecorators(IsString(options), IsOptional());

/** Declares a text that may be null. */
export const NullableText = (): PropertyDecorator => applyDecorators(IsString(), IsNullable());

/** Declares a time (ISO 8601) that may be null. */
export const NullableTime = (): PropertyDecorator => applyDecorators(IsISO8601(), IsNullable());

/** Declares a whole number that is not negative. */
export const IsCount = (): PropertyDecorator => applyDecorators(Min(0), IsInt());

/** Declares an object of a class, whose members are also checked. */
export const Nested = (type: TypeOf): PropertyDecorator =>
  applyDecorators(Type(type), ValidateNested());

/** Declares a list of objects of a class, whose members are also checked. */
export const NestedList = (type: TypeOf): PropertyDecorator =>
  applyDecorators(Type(type), ValidateNested({ each: true }));
