import { type Operation, PREVIEW, type Parameter, subjectsOf } from '#libs/contracts';
import { counted } from '#libs/platform';
import { type Markup, html } from '#libs/public-http';
import { labelOf } from '../pages/field-labels.js';
import { type PageContext, field, form } from '../pages/layout.js';
import { selectField } from '../pages/select-field.js';
import {
  type Search,
  type Typed,
  isGiven,
  isList,
  membersOf,
  parametersOf,
  priceOf,
  priceWords,
  searchPath,
  textOf,
} from './search.js';

const YES_OR_NO = ['true', 'false'] as const;

export function searchForm(context: PageContext, search: Search, typed: Typed): Markup {
  const { row } = search;
  const subjects = subjectsOf(row);
  const isFirst = (name: string) => subjects.includes(name) || row.parameters[name].isRequired;
  const names = parametersOf(row);
  const isFurther = (name: string) => !isFirst(name) && !(row.paged && name === 'mode');
  const further = names.filter(isFurther);
  const isOneOf = subjects.length > 1;
  const asked = names
    .filter(isFirst)
    .map((name) => parameterField(row, name, typed, { isOptional: isOneOf }));
  const fields = html`${isOneOf ? html`<p>Fill in exactly one of these fields.</p>` : undefined}
    ${asked} ${membersOf(row).map((name) => memberField(row, name, typed[name]))}
    ${modeField(row, typed)} ${further.length > 0 ? furtherFields(row, further, typed) : undefined}
    <p class="quiet">${priceWords(row)}</p>
    <p class="actions">
      <button>${row.body ? 'Compare' : 'Look up'}</button>
      ${
        row.paged &&
        html`<button class="plain" name="preview" value="yes">Count first (free)</button>`
      }
    </p>`;
  return form(context, searchPath(search), fields);
}

function furtherFields(row: Operation, names: readonly string[], typed: Typed): Markup {
  const isAnyGiven = names.some((name) => isGiven(row, name, typed));
  return html`<details ${isAnyGiven ? html`open` : undefined}>
    <summary>More options</summary>
    ${names.map((name) => parameterField(row, name, typed, { isOptional: true }))}
  </details>`;
}

/** Returns the field for the mode of a search, if the search has several modes. Counting has a button of its own. */
function modeField({ paged }: Operation, { mode }: Typed): Markup | undefined {
  const modes = Object.entries(paged?.modes ?? {});
  if (modes.length < 2) return undefined;
  const options = modes.map(([word, { credits, pageSize }]) => {
    const price = `${counted(credits as number, 'credit')} per page of ${pageSize}`;
    return [word, `${word}: ${price}`] as const;
  });
  const chosen = mode === PREVIEW ? undefined : mode;
  return selectField('mode', { label: labelOf('mode'), options, chosen });
}

/** Returns the field of a parameter. @param label replaces the usual label. */
export function parameterField(
  row: Operation,
  name: string,
  typed: Typed,
  { isOptional, label = labelOf(name) }: { isOptional: boolean; label?: string },
): Markup {
  const parameter = row.parameters[name];
  const { kind, about, isRequired } = parameter;
  const standard = textOf(parameter.default);
  const words = wordsOf(parameter);
  const chosen = typed[name] ?? standard;
  if (words) {
    const options = words.map((word) => [word, wordWithPrice(row, name, word)] as const);
    const all = standard === undefined && !isRequired ? 'Any' : undefined;
    return selectField(name, { label, all, options, chosen, hint: plain(about) });
  }
  const isDay = kind.schema.format === 'date';
  const type = kind.schema.type === 'integer' ? 'number' : isDay ? 'date' : 'text';
  return field({ name, label, type, value: chosen, hint: plain(about), isOptional });
}

function wordsOf({ kind: { schema } }: Parameter): readonly string[] | undefined {
  return schema.type === 'boolean' ? YES_OR_NO : (schema.enum as readonly string[] | undefined);
}

const WORDS: Readonly<Record<string, string>> = { true: 'yes', false: 'no' };

function wordWithPrice(row: Operation, name: string, word: string): string {
  const price = priceOf(row, name, word);
  const words = WORDS[word] ?? word;
  return price === undefined ? words : `${words}: ${counted(price, 'credit')}`;
}

function memberField(row: Operation, name: string, value = ''): Markup {
  if (!isList(row, name)) return field({ name, value });
  return html`<div class="field">
    <label for="${name}">${labelOf(name)}</label>
    <textarea id="${name}" name="${name}" rows="8" aria-describedby="${name}-hint" required>
${value}</textarea>
    <small id="${name}-hint">One per line, up to 100.</small>
  </div>`;
}

/** Returns a sentence from the table of operations without its backticks. */
const plain = (about: string) => `${about.replaceAll('`', '')}.`;
