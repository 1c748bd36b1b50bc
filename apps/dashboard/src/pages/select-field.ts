import { type Markup, html } from '#libs/public-http';

interface Select {
  label: string;
  /** The text of the empty choice. Without a text, there is no empty choice. */
  all?: string;
  options: readonly (readonly [value: string, words: string])[];
  chosen?: string;
  hint?: string;
}

/** Returns a list to choose from. The current value stays selected even if it is not among the options. */
export function selectField(name: string, { label, all, options, chosen, hint }: Select): Markup {
  const isListed = !chosen || options.some(([value]) => value === chosen);
  const listed = isListed ? options : [...options, [chosen, chosen] as const];
  const described = hint === undefined ? undefined : html`aria-describedby="${name}-hint"`;
  return html`<div class="field">
    <label for="${name}">${label}</label>
    <select id="${name}" name="${name}" ${described}>
      ${all === undefined ? undefined : html`<option value="">${all}</option>`}
      ${listed.map(
        ([value, words]) =>
          html`<option value="${value}" ${value === chosen ? html`selected` : undefined}>
            ${words}
          </option>`,
      )}
    </select>
    ${hint && html`<small id="${name}-hint">${hint}</small>`}
  </div>`;
}
