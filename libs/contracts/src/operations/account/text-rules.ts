import { applyDecorators } from '@nestjs/common';
import {
  ArrayMaxSize,
  ArrayUnique,
  IsArray,
  IsString,
  Length,
  Matches,
  ValidateBy,
  ValidateIf,
} from 'class-validator';
import { isInvoiceText } from './invoice-text.js';

/**
 * Matches a name of letters of any script, digits, spaces and the punctuation of names. A slash, and a dot before
 * anything but a space, are refused, because e-mail programs turn such names into links, and our e-mails would carry a
 * stranger's advertisement.
 */
const NAME = /^(?!.*\.\S)[\p{L}\p{M}][\p{L}\p{M}\p{N}\u200c-\u200d .'’-]{0,49}$/u;
/**
 * The joiners are format characters, but belong to Persian and Sinhala words and to emoji. One class for both would
 * make tools that generate texts from the published pattern five times as slow.
 */
const NO_CONTROLS = /^(?:\P{C}|[\u200c\u200d])*$/u;
/** A blank name would be a link without text, and a blank organisation an invoice without a buyer. */
const VISIBLE = /[^\s\u200c-\u200d]/u;
/**
 * Matches text without web or e-mail addresses, which e-mail programs turn into links. A version number such as 16.2 is
 * allowed.
 */
const NO_ADDRESS = /^(?!.*[.。．｡]\p{L})[^/\\@]*$/u;

export const IsFirstName = () =>
  Matches(NAME, { message: 'must be a name of 1 to 50 letters, spaces, hyphens and apostrophes' });

/** Declares a new password; account checks its strength. */
export const IsPassword = () => IsString({ message: 'must be text' });

/** Declares a password that is only compared with the current one. */
export const IsKnownPassword = () => applyDecorators(IsString(), Length(1, 1_000));

/** Declares the token of a link from an e-mail. */
export const IsLinkToken = () => applyDecorators(IsString(), Length(1, 100));

/** Declares a line of text that is not blank and has no control characters (S81). */
export const IsLine = (lengthMax: number) =>
  applyDecorators(
    IsString(),
    Length(1, lengthMax),
    Matches(NO_CONTROLS, { message: 'must not contain control characters' }),
    ValidateBy({
      name: 'isNotBlank',
      validator: {
        validate: (text) => typeof text === 'string' && VISIBLE.test(text),
        defaultMessage: () => 'must not be blank',
      },
    }),
  );

/** Declares a line that our e-mails quote. It must not contain an address, so that no e-mail has a foreign link (S82). */
export const IsMailedName = (lengthMax: number) =>
  applyDecorators(
    IsLine(lengthMax),
    Matches(NO_ADDRESS, { message: 'must not contain an address' }),
  );

/** Declares a line of an invoice, with only the characters that an invoice can show. */
export const IsInvoiceLine = (lengthMax: number) =>
  applyDecorators(
    IsLine(lengthMax),
    ValidateBy({
      name: 'isInvoiceText',
      validator: {
        validate: (text) => typeof text === 'string' && isInvoiceText(text),
        defaultMessage: () =>
          'must be in Latin, Greek or Cyrillic letters, the only ones in which invoices are printed',
      },
    }),
  );

/**
 * Declares a list of unique values. Its length is checked first and its uniqueness last, because comparing all values
 * with one another takes quadratic time.
 * @param rules the rules of each value, in the order in which they are checked.
 */
export const IsListOfDifferent = (lengthMax: number, ...rules: PropertyDecorator[]) =>
  applyDecorators(IsArray(), ArrayMaxSize(lengthMax), ...rules, ArrayUnique());

/** Declares that a member may be omitted but must not be null. */
export const MayBeAbsent = () => ValidateIf((_, value) => value !== undefined);
