import { type ApiCall, LANGUAGES, callSamples } from '#libs/contracts';
import { type Markup, html } from '#libs/public-http';

/** Returns a call as a shell command, followed by programs in other languages. */
export function callsMarkup(call: ApiCall): Markup {
  const samples = callSamples(call);
  const [shell, ...programs] = LANGUAGES;
  return html`<pre data-copy="line"><code data-call="${shell}">${samples[shell]}</code></pre>
    ${programs.map(
      (language) =>
        html`<details>
          <summary>${language}</summary>
          <pre data-copy="program"><code data-call="${language}">${samples[language]}</code></pre>
        </details>`,
    )}`;
}
