import type { FieldError } from '#libs/platform';
import { integer, oneOf, text } from '../kinds.js';
import { MAX_CREDITS } from '../live-parameters.js';
import type { Credits } from '../price.js';

/** The last page that can be requested by number. Later pages are read with cursors. */
const PAGE_MAX = 100;
export const CURSOR_LENGTH_MAX = 1_500;

/** The mode that counts the results of a search, free of charge. */
export const PREVIEW = 'preview';

export interface PageMode {
  /** The price of a page that is not empty. */
  credits: Credits;
  /** Records per page, unless fewer are requested. */
  pageSize: number;
}

export interface PagedSearch {
  /** The modes by the value of the parameter `mode`; the first is the default. */
  modes: Readonly<Record<string, PageMode>>;
}

/**
 * Returns the parameters and the price of a paged search, to be spread into its row: `pagedSearch({ default: { credits:
 * 5, pageSize: 50 } })`.
 */
export function pagedSearch<const Mode extends string>(modes: Readonly<Record<Mode, PageMode>>) {
  const words = Object.keys(modes) as Mode[];
  const sizes = words.map((mode) => modes[mode].pageSize);
  const prices = words.map((mode) => [mode, modes[mode].credits] as const);
  const by: Record<string, Credits> = { ...Object.fromEntries(prices), [PREVIEW]: 0 };
  const inWords = words.map((mode, place) => `${sizes[place]} with \`${mode}\``).join(', ');
  return {
    paged: { modes } as PagedSearch,
    price: { per: 'page', credits: { parameter: 'mode', by } },
    parameters: {
      page: {
        kind: integer(1, PAGE_MAX),
        about: `Page number, from 1; use \`cursor\` to read past page ${PAGE_MAX}`,
        example: '1',
      },
      page_size: {
        kind: integer(1, Math.max(...sizes)),
        about: `Records per page; maximum and default: ${sizes.length === 1 ? sizes[0] : inWords}`,
        example: String(Math.min(...sizes)),
      },
      cursor: CURSOR,
      mode: {
        kind: oneOf([...words, PREVIEW]),
        about: `Form of the records; \`${PREVIEW}\` only counts them and returns the price, free of charge`,
        example: PREVIEW,
        default: words[0],
      },
      max_credits: MAX_CREDITS,
    },
  } as const;
}

export const CURSOR = {
  kind: text(CURSOR_LENGTH_MAX, {
    pattern: /^[A-Za-z0-9_.-]+$/,
    rule: 'is not a valid cursor',
  }),
  about: '`paging.next_cursor` of the previous page; the other parameters must stay the same',
  example: 'WzIsNTAsImV4YW1wbGUuY29tIl0.c2lnbmF0dXJlLW9mLWl0',
} as const;

/**
 * Returns the parameters of a list that is not a search; such a list is read from its beginning, by cursor. @param
 * pageSize the default.
 */
export function listPages(pageSize: number, pageSizeMax = 100) {
  return {
    page_size: {
      kind: integer(1, Math.max(pageSize, pageSizeMax)),
      about: 'Records per page',
      example: String(pageSize),
      default: pageSize,
    },
    cursor: CURSOR,
  } as const;
}

/** The parameters that select a page or limit its price, rather than select the data. */
export const PAGE_PARAMETERS: ReadonlySet<string> = new Set([
  'page',
  'page_size',
  'cursor',
  'max_credits',
]);

/** Returns the number of records per page unless fewer are requested. @param mode as given. */
export function pageSizeOf({ modes }: PagedSearch, mode: string | undefined): number {
  const [first] = Object.values(modes);
  return (modes[mode ?? ''] ?? first).pageSize;
}

/**
 * Returns the faults in the combination of parameters that are valid by themselves. @param textOf the text of a
 * parameter, by its name.
 */
export function pageFaults(
  paged: PagedSearch,
  textOf: (name: string) => string | undefined,
): FieldError[] {
  const faults: FieldError[] = [];
  if (textOf('cursor') !== undefined && textOf('page') !== undefined) {
    faults.push({ field: 'page', message: 'cannot be given together with "cursor"' });
  }
  const sizeMax = pageSizeOf(paged, textOf('mode'));
  const sizeMaxOfAny = Math.max(...Object.values(paged.modes).map(({ pageSize }) => pageSize));
  const size = Number(textOf('page_size') ?? 0);
  // A value above the maximum of every mode is already rejected by the parameter itself.
  if (size > sizeMax && size <= sizeMaxOfAny) {
    faults.push({ field: 'page_size', message: `must be a whole number, 1 to ${sizeMax}` });
  }
  return faults;
}
