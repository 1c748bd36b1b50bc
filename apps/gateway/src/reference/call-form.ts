import { type Operation, type Parameter, exampleCall, newestVersion } from '#libs/contracts';
import { type Markup, html } from '#libs/public-http';

/** Returns the field for a key, which stays hidden until the page's script shows it. */
export function keyField(): Markup {
  return html`<section id="your-key" hidden>
    <h2>Your key</h2>
    <div class="field">
      <label for="key">API key</label>
      <input
        id="key"
        type="password"
        autocomplete="off"
        spellcheck="false"
        aria-describedby="key-hint"
      />
      <small id="key-hint"
        >With a key, you can call every operation below from this page. The key stays in the memory
        of this page and is sent only to this API. A call with a live key costs the same as in a
        program; a test key gets samples free of charge.</small
      >
    </div>
  </section>`;
}

/**
 * Returns a form from which the page's script calls the operation. The form is filled in with the operation's example.
 */
export function callForm(row: Operation): Markup {
  const { name, method, parameters, body, routes, examples } = row;
  const [example] = examples;
  const newest = routes.find(({ version }) => version === newestVersion(row))!;
  const { headers, upload, needsKey } = exampleCall('', row);
  const values: Readonly<Record<string, string>> = {
    ...(newest.when && { [newest.when.parameter]: newest.when.value }),
    ...example.parameters,
  };
  const json = JSON.stringify(example.body ?? body?.example, undefined, 2);
  // The data attributes are not on the form, because a form field named `dataset` would hide the form's own `dataset`.
  return html`<details
    hidden
    data-call
    data-method="${method}"
    data-path="${newest.path}"
    data-headers="${JSON.stringify(headers)}"
    data-key="${needsKey ? 'needed' : 'none'}"
    data-upload="${upload ?? ''}"
  >
    <summary>Call it from this page</summary>
    <form>
      ${Object.entries(parameters).map(([key, { isRequired, in: place }]) =>
        labelled(
          html`${key}${isNeeded({ isRequired, in: place }) ? '' : ' (optional)'}`,
          html`<input name="${key}" value="${values[key] ?? ''}" autocomplete="off" />`,
        ),
      )}
      ${body && labelled(html`body`, html`<textarea name="body" rows="6" spellcheck="false" data-body>${json}</textarea>`)}
      ${upload && labelled(html`file`, html`<input type="file" data-file />`)}
      <p><button class="small" aria-label="Send ${name}">Send</button></p>
    </form>
    <p class="quiet" role="status" data-said></p>
    <pre tabindex="0" hidden data-answer><code></code></pre>
  </details>`;
}

const labelled = (words: Markup, input: Markup): Markup =>
  html`<div class="field"><label>${words} ${input}</label></div>`;

const isNeeded = ({ isRequired, in: place }: Pick<Parameter, 'isRequired' | 'in'>) =>
  isRequired === true || place === 'path';
