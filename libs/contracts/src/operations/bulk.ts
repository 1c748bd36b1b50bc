import { applyDecorators } from '@nestjs/common';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  MaxLength,
  MinLength,
} from 'class-validator';
import { IsCount, Nested, OptionalText } from '../members.js';
import type { DataClass } from './parameter.js';
import type { ProblemCode } from './openapi/problem-codes.js';

export const BULK_ITEMS_MAX = 100;
export const BULK_BODY_BYTES = 256 * 1_024;
const NAME_LENGTH_MAX = 2_048;

/** Declares a member of a request's body: a list of up to 100 strings, each of 1 to `lengthMax` characters. */
export function TextList(lengthMax = NAME_LENGTH_MAX): PropertyDecorator {
  return applyDecorators(
    // This rule is checked first: for a value that is missing or not a list, "shorter" would be the wrong advice.
    IsArray({ message: `must be a list of up to ${BULK_ITEMS_MAX} strings` }),
    ArrayMaxSize(BULK_ITEMS_MAX),
    IsString({ each: true }),
    MinLength(1, { each: true }),
    MaxLength(lengthMax, { each: true }),
  );
}

/** The result for one of several items: the members of a single answer, or the reason why there is no answer. */
export class BulkItem {
  /** Index in the request, from 0. */
  @IsCount()
  index: number;

  /** Whether there is an answer. */
  @IsBoolean()
  status: boolean;

  /** Only for a rejected item: the status that a single request would get. */
  @IsOptional()
  @IsInt()
  status_code?: number;

  @OptionalText()
  message?: string;
}

/** The members that every rejected item has. */
export const REFUSED_MEMBERS = ['index', 'status', 'status_code', 'code', 'message'] as const;

/** Codes that an item of any operation may have: an internal error affects only one item. */
const OF_EVERY_ITEM = ['internal_error'] as const;

/**
 * The class of an item. It declares the members of a rejected item; an answered item has `index`, `status` and the
 * members of a single answer.
 */
export interface ItemClass {
  new (): object;
  readonly codes: readonly ProblemCode[];
  readonly answer: DataClass;
}

/**
 * Declares the item class of an operation. @param answer class of a single answer. @param own codes of its possible
 * rejections.
 */
export function bulkItem<const Code extends ProblemCode>(answer: DataClass, ...own: Code[]) {
  const codes = [...own, ...OF_EVERY_ITEM];
  class Item extends BulkItem {
    static readonly codes: readonly ProblemCode[] = codes;
    static readonly answer = answer;

    @IsOptional()
    @IsIn(codes)
    code?: (typeof codes)[number];
  }
  return Item;
}

export const isItemClass = (type: object): type is ItemClass => 'answer' in type && 'codes' in type;

/** The numbers of answered and failed items. */
export class BulkSummary {
  @IsCount()
  delivered: number;

  @IsCount()
  failed: number;
}

/** The closing line of a stream. */
export class BulkClosing {
  @Nested(() => BulkSummary)
  summary: BulkSummary;
}

/** The last line of a stream that broke off. Only the items that were sent before are charged. */
export class BrokenOffLine {
  @IsIn(['broken_off'])
  error: string;
}
